// What the tests of the tomography job share.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <filesystem>
#include <string>

#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/jobs/tomography.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {

using C = std::complex<double>;
using Path = std::filesystem::path;

class Tomography : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

inline RunRecord run(const Path& data, Index rank, double tolerance, const Path& truth = {},
                     TomographyInput input = {}) {
  input.data = {data};
  RunSettings settings;
  settings.rank = rank;
  settings.options.tolerance = tolerance;
  settings.truth = truth;
  settings.threads = 1;
  return run_tomography(input, settings);
}

inline StateFactor factor_of(const RunRecord& record) {
  return to_matrix<C>(record.factor, "factor");
}

/// All warnings of a run, as they stand in the summary.
inline std::string warnings(const RunRecord& record) {
  return record.summary.contains("warnings") ? record.summary["warnings"].dump() : "";
}

inline double number(const RunRecord& record, const char* key) {
  return record.summary.at(key).get<double>();
}

}  // namespace projfgd::test
