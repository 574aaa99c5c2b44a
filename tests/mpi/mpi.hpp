// Runs the program under mpirun, with more ranks than cores where need be.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <filesystem>
#include <string>

#include "projfgd/io/files.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/measures/distance.hpp"
#include "support/program.hpp"

namespace projfgd::test {

class Mpi : public testing::Test {
 protected:
  void SetUp() override {
#ifndef PROJFGD_MPIRUN
    GTEST_SKIP() << "MPI was not found when this was built";
#endif
  }
  Outcome run(const std::string& command) const { return shell(folder_.path(), command); }

  /// mpirun for so many ranks, with leave to run as root and more of them than cores.
  static std::string mpirun(int ranks) {
#ifdef PROJFGD_MPIRUN
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
           "OMPI_MCA_rmaps_base_oversubscribe=1 " PROJFGD_MPIRUN " -n " +
           std::to_string(ranks) + " ";
#else
    return std::to_string(ranks);
#endif
  }
  Json summary(const std::string& folder) const {
    return Json::parse(read_file(folder_ / (folder + "/summary.json")));
  }
  Matrix<std::complex<double>> factor(const std::string& folder) const {
    const std::filesystem::path path = folder_ / (folder + "/factor.npy");
    return to_matrix<std::complex<double>>(parse_npy(read_file(path), path), path);
  }

  TemporaryFolder folder_;
};

}  // namespace projfgd::test
