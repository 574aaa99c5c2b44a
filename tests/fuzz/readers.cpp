#include "fuzz/readers.hpp"

#include <functional>
#include <map>

#include "projfgd/core/error.hpp"
#include "projfgd/io/entries.hpp"
#include "projfgd/io/hdf5.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/io/measurements.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/png.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {
namespace {

using Reader = std::function<void(std::string_view)>;

/// HDF5 reads from a file only.
void read_hdf5_bytes(std::string_view bytes) {
  static const TemporaryFolder folder;
  const auto path = folder.file("input.h5", bytes);
  if (is_hdf5(path)) read_hdf5(path, {"/intensities"}, IfNone::only_array);
}

const std::map<std::string, Reader, std::less<>>& readers() {
  static const std::map<std::string, Reader, std::less<>> all = {
      {"npy", [](std::string_view b) { parse_npy(b, "input"); }},
      {"png", [](std::string_view b) { parse_png(b, "input"); }},
      {"json", [](std::string_view b) { parse_json(b, "input"); }},
      {"hdf5", read_hdf5_bytes},
      {"matrix-market", [](std::string_view b) { parse_matrix_market(b, "input"); }},
      {"entries-csv", [](std::string_view b) { parse_entries_csv(b, "input"); }},
      {"measurements",
       [](std::string_view b) {
         parse_measurements({{"input", std::string(b)}}, {});
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
  };
  return all;
}

}  // namespace

std::vector<std::string> reader_names() {
  std::vector<std::string> names;
  for (const auto& [name, reader] : readers()) names.push_back(name);
  return names;
}

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
