// The tomography verb as a process, on the data of a state whose qubits differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "projfgd/io/json.hpp"
#include "projfgd/io/npy.hpp"
#include "support/program.hpp"

namespace projfgd::test {

inline constexpr int shots = 1000;

inline std::vector<std::string> labels() {
  std::vector<std::string> all;
  for (const char left : {'X', 'Y', 'Z'}) {
    for (const char right : {'X', 'Y', 'Z'}) all.push_back({left, right});
  }
  return all;
}

/// What 1000 shots of |0>|+> give: qubit 1, on the left, is sure in Z and qubit 0 in X. Turning
/// either labels or bits round spoils it.
inline std::vector<int> counts_of(const std::string& label) {
  std::vector<int> counts(4);
  for (int k = 0; k < 4; ++k) {
    const int left = k / 2, right = k % 2;
    const double p1 = label[0] == 'Z' ? 1 - left : 0.5, p0 = label[1] == 'X' ? 1 - right : 0.5;
    counts[static_cast<std::size_t>(k)] = static_cast<int>(shots * p1 * p0);
  }
  return counts;
}

inline std::string bits(int outcome) {
  return {outcome / 2 != 0 ? '1' : '0', outcome % 2 != 0 ? '1' : '0'};
}

using Key = std::function<std::string(int)>;
inline Json counts_json(const std::string& label, const Key& key) {
  Json json = Json::object();
  const auto counts = counts_of(label);
  for (int k = 0; k < 4; ++k) {  // outcomes that were never seen are left out, as in real files
    if (counts[static_cast<std::size_t>(k)] > 0) json[key(k)] = counts[static_cast<std::size_t>(k)];
  }
  return json;
}

class TomographyCli : public testing::Test {
 protected:
  TomographyCli() {
    const double s = std::sqrt(0.5);
    write_npy(folder / "target.npy", {{4, 1}, true, {s, 0, s, 0, 0, 0, 0, 0}});
  }

  Outcome run(const std::string& command) const { return shell(folder.path(), command); }
  bool exists(const char* name) const { return std::filesystem::exists(folder / name); }

  /// The summary of a run that must converge.
  Json summary(const std::string& arguments) const {
    const Outcome outcome = run("projfgd tomography " + arguments + " --json");
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
    if (outcome.code != 0) return {};
    Json json = parse_json(outcome.out, "summary");
    json["stderr"] = outcome.err;
    return json;
  }

  /// The data are those of |0>|+>, read without a word of warning.
  void expect_state(const std::string& arguments) const {
    const Json json = summary(arguments + " --rank 1 --target target.npy");
    ASSERT_TRUE(json.contains("fidelity")) << arguments;
    EXPECT_GE(json["fidelity"].get<double>(), 0.9999) << arguments;
    EXPECT_EQ(json["qubits"], 2) << arguments;
    EXPECT_EQ(json["stderr"], "") << arguments;
  }

  /// Exit code and one sentence on standard error, nothing on standard output, no folder made.
  void expect_error(const std::string& arguments, int code, const std::string& part) const {
    const Outcome outcome = run("projfgd tomography " + arguments + " --out o");
    EXPECT_EQ(outcome.code, code) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_TRUE(outcome.err.starts_with("projfgd: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << arguments << "\n" << outcome.err;
    EXPECT_FALSE(exists("o")) << arguments;
  }
  void expect_refused(const std::string& name, const std::string& text, const std::string& part) {
    folder.file(name, text);
    expect_error(name, 2, part);
  }

  /// The label-to-counts file of |0>|+>.
  void write_counts(const char* name) const {
    Json json = Json::object();
    for (const auto& label : labels()) json[label] = counts_json(label, bits);
    folder.file(name, json.dump());
  }

  TemporaryFolder folder;
};

}  // namespace projfgd::test
