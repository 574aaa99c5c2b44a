#include "projfgd/jobs/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/common/hermitian.hpp"
#include "jobs/common/solver_memory.hpp"
#include "jobs/common/start_file.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/starts/spectral.hpp"

namespace projfgd {
namespace {

/// Factors that a run keeps: eleven of the step rule `auto`, the answer, and two a pair of its
/// memory. Other methods keep fewer.
double factors_kept(const Options& options) { return 12 + 2.0 * options.memory; }

}  // namespace

std::vector<std::string> start_names() { return {start_name::spectral, start_name::random}; }

InputFiles RunSettings::inputs() const {
  InputFiles::Note note;
  if (journal != nullptr) {
    note = [kept = journal](const std::string& name, const std::string& hash) {
      kept->note_input(name, hash);
    };
  }
  // Where all agree on the interrupt, one rank cannot ask alone while it reads.
  return InputFiles(in_memory, ranks->is_alone() ? interrupt : Interrupt{}, outputs,
                    std::move(note), *ranks);
}

template <class S>
Matrix<S> read_factor(const std::filesystem::path& path, Index rows, InputFiles& inputs) {
  const Array array = inputs.npy(path);
  Matrix<S> factor = to_matrix<S>(array, path);
  if (factor.rows() != rows || factor.cols() < 1) {
    throw InputError(fmt::format("{}: found shape {}, expected a factor with {} rows",
                                 path.string(), shape_text(array.shape), rows));
  }
  return factor;
}

template <class S>
std::function<double(const Matrix<S>&)> error_against(Matrix<S> truth) {
  return [truth = std::move(truth)](const Matrix<S>& u) {
    return static_cast<double>(relative_error(u, truth));
  };
}

template <class S>
std::function<double(const Matrix<S>&)> truth_error(const RunSettings& settings, Index rows,
                                                    bool* is_matrix) {
  if (settings.truth.empty()) return {};
  InputFiles apart = settings.inputs();  // the answer does not depend on it
  Matrix<S> truth = read_factor<S>(settings.truth, rows, apart);
  if (!(norm(truth) > 0)) {
    throw InputError(
        fmt::format("{}: found only zeros, expected the known answer", settings.truth.string()));
  }
  *is_matrix = rows > 1 && is_hermitian(truth);
  if (*is_matrix) truth = factor_of(truth, settings.truth);
  return error_against<S>(std::move(truth));
}

double solver_bytes(double rows, double measurements, double rank, bool complex, bool single,
                    const Options& options) {
  const double real_bytes = single ? 4 : 8;
  const double basis = std::min(rows, static_cast<double>(start_accuracy(1).max_basis) * rank);
  return rows * (rank * factors_kept(options) + 2 * basis) * real_bytes * (complex ? 2 : 1) +
         bytes_of_data(measurements, real_bytes);
}

void require_solver_memory(Index rows, Index measurements, Index rank, bool complex,
                           const RunSettings& settings) {
  const double bytes =
      solver_bytes(static_cast<double>(rows), static_cast<double>(measurements),
                   static_cast<double>(rank), complex, settings.single_precision, settings.options);
  require_memory(bytes, fmt::format("a factor of {} x {} with its workspace", rows, rank));
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                               \
  template Matrix<S> read_factor(const std::filesystem::path&, Index, InputFiles&); \
  template std::function<double(const Matrix<S>&)> error_against<S>(Matrix<S>);     \
  template std::function<double(const Matrix<S>&)> truth_error<S>(const RunSettings&, Index, bool*);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)
#undef PROJFGD_INSTANTIATE_SCALAR

}  // namespace projfgd
