// Small problems with a known answer, as the files that `projfgd solve` reads.
#pragma once

#include <string>

#include "projfgd/io/json.hpp"
#include "projfgd/io/npy.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {

/// An 8 x 8 matrix of rank 2, measured without noise by the operator named.
template <class S>
class ProblemFiles {
 public:
  static constexpr Index n = 8, rank = 2;
  TemporaryFolder folder;

  explicit ProblemFiles(const std::string& type) {
    const Matrix<S> u = random_factor<S>(n, rank, 3);
    const Matrix<S> x = u * u.adjoint();
    write_npy(folder / "truth.npy", to_array(u));
    keys_ = {{"dimension", n},
             {"field", is_complex<S> ? "complex" : "real"},
             {"operator", {{"type", type}}},
             {"data", "data.npy"},
             {"rank", rank},
             {"truth", "truth.npy"}};
    if (type == "entries") write_entries(x);
    if (type == "dense") write_dense(x);
    if (type == "rank-one") write_rank_one(x);
    if (type == "identity") write_npy(folder / "data.npy", to_array(x));
  }

  /// Writes problem.json with these keys changed or added, and returns its path.
  std::filesystem::path description(const Json& more = Json::object()) const {
    Json keys = keys_;
    keys.update(more);
    return folder.file("problem.json", json_text(keys));
  }

 private:
  static Array column(std::vector<double> values, bool complex = false) {
    const auto size = static_cast<Index>(values.size()) / (complex ? 2 : 1);
    return {{size}, complex, std::move(values)};
  }

  void write_entries(const Matrix<S>& x) {  // all on and above the diagonal but one
    std::vector<double> places, values;
    for (Index i = 0; i < n; ++i) {
      for (Index j = i; j < n; ++j) {
        if (i == 1 && j == 5) continue;
        places.insert(places.end(), {static_cast<double>(i), static_cast<double>(j)});
        values.push_back(std::real(x(i, j)));
        if (is_complex<S>) values.push_back(std::imag(x(i, j)));
      }
    }
    const auto m = static_cast<Index>(places.size() / 2);
    write_npy(folder / "places.npy", Array{{m, 2}, false, places});
    write_npy(folder / "data.npy", column(values, is_complex<S>));
    keys_["operator"]["places"] = "places.npy";
  }

  void write_dense(const Matrix<S>& x) {
    constexpr Index m = 70;
    Array all{{m, n, n}, is_complex<S>, {}};
    std::vector<double> y;
    for (Index i = 0; i < m; ++i) {
      const Matrix<S> a = random_hermitian<S>(n, 100 + static_cast<std::uint64_t>(i));
      const Array one = to_array(a);
      all.values.insert(all.values.end(), one.values.begin(), one.values.end());
      y.push_back(std::real((a * x).trace()));
    }
    write_npy(folder / "matrices.npy", all);
    write_npy(folder / "data.npy", column(y));
    keys_["operator"]["matrices"] = "matrices.npy";
  }

  void write_rank_one(const Matrix<S>& x) {
    constexpr Index m = 120;
    const Matrix<S> a = random_factor<S>(m, n, 9);
    std::vector<double> y;
    for (Index i = 0; i < m; ++i) {
      const Vector<S> vector = a.row(i).transpose();
      y.push_back(std::real(vector.dot(x * vector)));  // a^H X a
    }
    write_npy(folder / "vectors.npy", to_array(a));
    write_npy(folder / "data.npy", column(y));
    keys_["operator"]["vectors"] = "vectors.npy";
  }

  Json keys_;
};

}  // namespace projfgd::test
