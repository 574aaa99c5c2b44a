#include "fuzz/readers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>

#include "jobs/matrix/description.hpp"
#include "jobs/phase/data.hpp"
#include "jobs/phase/scan.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/checkpoint.hpp"
#include "projfgd/io/entries.hpp"
#include "projfgd/io/hdf5.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/io/measurements.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/png.hpp"
#include "projfgd/io/text_pattern.hpp"
#include "projfgd/jobs/constraints.hpp"

namespace projfgd::test {
namespace {

using Reader = std::function<void(std::string_view)>;

/// HDF5 reads from a file with a name only: this one is in memory, and goes with the process.
class MemoryFile {
 public:
  MemoryFile() : path_(fmt::format("/dev/shm/projfgd-fuzz-{}.h5", ::getpid())) {}
  ~MemoryFile() { ::unlink(path_.c_str()); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& write(std::string_view bytes) const {
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path_;
  }

 private:
  std::string path_;
};

const std::string& in_memory_file(std::string_view bytes) {
  static const MemoryFile file;
  return file.write(bytes);
}

void read_hdf5_bytes(std::string_view bytes) {
  const std::string& path = in_memory_file(bytes);
  if (is_hdf5(path)) read_hdf5(path, {"/intensities"}, IfNone::only_array);
}

/// What projfgd phase reads of an HDF5, CXI or ptyd file.
void read_phase(std::string_view bytes) {
  PhaseInput input;
  input.data = in_memory_file(bytes);
  InputFiles files;
  if (!is_hdf5(input.data)) return;
  if (is_scan(input, files)) {
    read_scan(input, {}, files);
  } else {
    read_phase_data(input, {}, files);
  }
}

/// A description of projfgd solve, whose other files are all the same entries of a matrix.
void read_problem(std::string_view bytes) {
  constexpr std::string_view entries = "row,column,value\n0,0,1\n1,0,0.5\n";
  InputFiles files({{"input", {bytes, {}}}, {"entries.csv", {entries, {}}}});
  MatrixDescription problem = read_description("input", files);
  read_known_entries(problem, files);
}

/// An expression on the first line, and the text that it is searched in.
void search_pattern(std::string_view bytes) {
  const std::size_t line = std::min(bytes.find('\n'), bytes.size());
  try {
    TextPattern(bytes.substr(0, line)).search(bytes.substr(line));
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

const std::map<std::string, Reader, std::less<>>& readers() {
  static const std::map<std::string, Reader, std::less<>> all = {
      {"npy", [](std::string_view b) { parse_npy(b, "input"); }},
      {"png", [](std::string_view b) { parse_png(b, "input"); }},
      {"json", [](std::string_view b) { parse_json(b, "input"); }},
      {"hdf5", read_hdf5_bytes},
      {"phase", read_phase},
      {"matrix-market", [](std::string_view b) { parse_matrix_market(b, "input"); }},
      {"entries-csv", [](std::string_view b) { parse_entries_csv(b, "input"); }},
      {"measurements",
       [](std::string_view b) {
         // Some formats have the basis in the name of the file.
         parse_measurements({{"input_XZ.json", std::string(b)}}, {});
       }},
      {"readout",
       [](std::string_view b) {
         parse_readout({"input", std::string(b)}, 2, false);
       }},
      {"observables",
       [](std::string_view b) {
         parse_observables({"input", std::string(b)});
       }},
      {"constraint", [](std::string_view b) { parse_constraint(b); }},
      {"problem", read_problem},
      {"checkpoint", [](std::string_view b) { parse_checkpoint(b, "input"); }},
      {"text-pattern", search_pattern},
  };
  return all;
}

}  // namespace

std::vector<std::string> reader_names() {
  std::vector<std::string> names;
  for (const auto& [name, reader] : readers()) names.push_back(name);
  return names;
}

bool has_processes(std::string_view reader) { return reader == "hdf5" || reader == "phase"; }

bool read_as(std::string_view reader, std::string_view bytes) {
  try {
    readers().find(reader)->second(bytes);
    return true;
  } catch (const InputError&) {
  } catch (const FileError&) {
  } catch (const ResourceError&) {
  }
  return false;
}

}  // namespace projfgd::test
