// The program run on phase retrieval problems in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/io/json.hpp"
#include "projfgd/io/npy.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {

inline const std::string stars = "projfgd simulate cdp --image stars --size 24x16 --quiet --out ";

/// A folder to run in.
class PhaseProgram : public testing::Test {
 protected:
  Outcome run(const std::string& command) const { return shell(folder.path(), command); }
  std::filesystem::path at(const std::string& name) const { return folder / name; }
  Json summary(const std::string& name) const { return read_json(folder / name / "summary.json"); }

  void expect_success(const std::string& command) const {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
    EXPECT_EQ(outcome.err, "") << command;
  }

  /// The command with `--out o` ends like this and writes nothing.
  void expect_error(const std::string& command, int code, const std::string& part) const {
    projfgd::test::expect_error(folder.path(), command + " --out o", code, part);
    EXPECT_FALSE(std::filesystem::exists(folder / "o")) << command;
  }

  void put(const char* name, std::vector<Index> shape, std::vector<double> values) const {
    write_npy(folder / name, Array{std::move(shape), false, std::move(values)});
  }

  double error(const std::string& name) const {
    return summary(name).at("relative_error").get<double>();
  }

  const TemporaryFolder folder;
};

}  // namespace projfgd::test
