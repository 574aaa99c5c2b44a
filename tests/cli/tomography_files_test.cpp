// Every layout of measurements, from a file to the state, by the program itself.
#include <fmt/format.h>

#include "support/tomography_program.hpp"

namespace projfgd::test {
namespace {

TEST_F(TomographyCli, ReadsPauliExpectations) {
  const std::string rows = "IX,1\nZI,1\nZX,1\nXX,0\nYY,0\nZZ,0\nXI,0\nIZ,0\nIY,0\nYI,0\nII,1\n";
  folder.file("a.csv", "pauli,expectation\n" + rows);
  expect_state("a.csv");
  std::string windows = "\xEF\xBB\xBFPauli,Expectation\r\n";  // as a spreadsheet writes it
  for (const char c : rows) windows += c == '\n' ? "\r\n" : std::string{c};
  folder.file("b.csv", windows);
  expect_state("b.csv");
  std::string tabs = "label\tvalue\tstd_error\n";
  for (std::size_t at = 0; at < rows.size();) {
    const std::size_t end = rows.find('\n', at), comma = rows.find(',', at);
    tabs +=
        rows.substr(at, comma - at) + "\t" + rows.substr(comma + 1, end - comma - 1) + "\t0.01\n";
    at = end + 1;
  }
  folder.file("c.tsv", tabs);
  expect_state("c.tsv");
  folder.file("d.csv", "pauli,expectation\nix,1\nzi,1\nzx,1\nxx,0\nyy,0\nzz,0\n");
  folder.file("e.csv", "pauli,expectation\nxi,0\niz,0\niy,0\nyi,0\nii,1\nii,1\n");
  expect_state("d.csv e.csv");  // one data set in two files, small letters, a duplicate
  folder.file("f.json", R"({"IX": 1, "ZI": 1, "ZX": [0.99, 0.02], "XX": 0})");
  expect_error("f.json", 2, "stderr");
  folder.file("f.json", R"({"IX": 1, "ZI": 1, "ZX": 1, "XX": 0, "YY": 0, "ZZ": 0})");
  expect_state("f.json");
}

TEST_F(TomographyCli, ReadsLabelToCounts) {
  write_counts("a.json");
  expect_state("a.json");
  Json arrays = Json::object(), small = Json::object(), tuples = Json::object();
  for (const auto& label : labels()) {
    arrays[label] = counts_of(label);
    std::string lower = label;
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    small[lower] = counts_json(label, [](int k) { return "0b" + bits(k); });
    tuples[fmt::format("('{}', '{}')", label[0], label[1])] = counts_json(label, bits);
  }
  folder.file("b.json", arrays.dump(2));
  expect_state("b.json");
  folder.file("c.json", "\xEF\xBB\xBF" + small.dump());
  expect_state("c.json");
  folder.file("d.json", tuples.dump());
  expect_state("d.json");
  folder.file("e.json", Json{{"counts", arrays}}.dump());
  expect_state("e.json");
}

TEST_F(TomographyCli, ReadsARowForEachOutcome) {
  std::string csv = "basis,outcome,count\n";
  for (const auto& label : labels()) {
    const Json counts = counts_json(label, bits);
    for (const auto& [outcome, count] : counts.items()) {
      csv += fmt::format("{},{},{}\n", label, outcome, count.get<int>());
    }
  }
  folder.file("counts.csv", csv);
  expect_state("counts.csv");
}

TEST_F(TomographyCli, ComparesWithTheStateInTheFolderOfAnotherRun) {
  EXPECT_EQ(run("projfgd simulate counts --qubits 2 --state bell --out counts").code, 0);
  EXPECT_EQ(run("projfgd tomography counts --rank 1 --out result").code, 0);
  EXPECT_NEAR(summary("counts --rank 1 --target result")["fidelity"].get<double>(), 1, 1e-12);
  EXPECT_NE(run("projfgd compare result counts")
                .err.find("result: found the results of a run, expected measurements"),
            std::string::npos);
}

TEST_F(TomographyCli, ReadsTheMeasurementsInTheFolderOfASimulation) {
  EXPECT_EQ(run("projfgd simulate counts --qubits 2 --state bell --out counts").code, 0);
  EXPECT_EQ(run("projfgd simulate pauli --qubits 2 --out pauli").code, 0);
  EXPECT_EQ(summary("counts --rank 1")["input"], Json({"counts/counts.json"}));
  EXPECT_EQ(summary("pauli --rank 1")["input"], Json({"pauli/pauli.csv"}));
  EXPECT_EQ(run("projfgd compare counts --methods projfgd,fgd --rank 1").code, 0);
  EXPECT_NE(summary("counts counts/counts.json --rank 1")["stderr"].get<std::string>().find(
                "counts/counts.json was given more than once"),
            std::string::npos);
  expect_error(".", 2,
               "found a folder with neither counts.json nor pauli.csv, expected one of them");
  EXPECT_EQ(run("cp pauli/pauli.csv counts").code, 0);
  expect_error("counts", 2, "counts: found a folder with both counts.json and pauli.csv, expected");
}

TEST_F(TomographyCli, ReadsFilesThatTogetherHaveEverySetting) {
  Json one = Json::object(), two = Json::object();
  for (const auto& label : labels()) {
    (label[0] == 'Z' ? one : two)[label] = counts_json(label, bits);
  }
  folder.file("one.json", one.dump());
  folder.file("two.json", two.dump());
  expect_state("one.json two.json");
  EXPECT_EQ(summary("one.json two.json one.json --rank 1")["shots"], 12 * shots);  // counts add up
  folder.file("three.csv", "pauli,expectation\nXX,1\n");
  expect_error("one.json three.csv", 2, "three.csv");
}

/// A Result with the basis in the name as `name` says.
Json qiskit(const Key& key, const std::function<std::string(const std::string&)>& name,
            const Json& registers) {
  Json results = Json::array();
  for (const auto& label : labels()) {
    results.push_back(
        {{"shots", shots},
         {"success", true},
         {"data", {{"counts", counts_json(label, key)}}},
         {"header", {{"name", name(label)}, {"creg_sizes", registers}, {"metadata", nullptr}}}});
  }
  return {{"backend_name", "some_backend"}, {"success", true}, {"results", results}};
}

TEST_F(TomographyCli, ReadsQiskitResults) {
  const auto plain = [](const std::string& label) { return "tomography_" + label; };
  const Json registers = Json::array({Json::array({"c", 2})});
  folder.file("hex.json",
              qiskit([](int k) { return fmt::format("{:#x}", k); }, plain, registers).dump());
  folder.file("binary.json", qiskit(bits, plain, registers).dump());
  const Json apart = Json::array({Json::array({"a", 1}), Json::array({"b", 1})});
  folder.file("spaced.json", qiskit(
                                 [](int k) {
                                   return std::string{bits(k)[0], ' ', bits(k)[1]};
                                 },
                                 plain, apart)
                                 .dump());
  for (const char* name : {"hex.json", "binary.json", "spaced.json"}) expect_state(name);

  folder.file("pattern.json", qiskit(
                                  bits,
                                  [](const std::string& label) {
                                    return fmt::format("q1:{} q0:{} X", label[0], label[1]);
                                  },
                                  registers)
                                  .dump());
  expect_state("pattern.json --basis-pattern 'q1:([XYZ]) q0:([XYZ])'");
  expect_state("pattern.json --basis-pattern 'q1:([XYZ]) q0:([XYZ])' --format qiskit");
  expect_error("pattern.json", 2, "--basis-pattern");
  expect_error("pattern.json --basis-pattern 'q1:(['", 2, "regular expression");
}

TEST_F(TomographyCli, SumsOverRegistersThatAreNotTheBasis) {
  // Three bits of another register stand above the two that were measured.
  const Json registers = Json::array({Json::array({"m", 2}), Json::array({"other", 3})});
  Json result = qiskit([](int k) { return "101 " + bits(k); },
                       [](const std::string& label) { return "run_" + label; }, registers);
  folder.file("above.json", result.dump());
  expect_state("above.json");
  const Json below = Json::array({Json::array({"other", 3}), Json::array({"m", 2})});
  result = qiskit([](int k) { return fmt::format("{:#x}", 8 * k + 5); },
                  [](const std::string& label) { return "run_" + label; }, below);
  folder.file("below.json", result.dump());
  expect_state("below.json");
}

TEST_F(TomographyCli, SaysWhichResultsItLeftOut) {
  Json result = qiskit(
      bits, [](const std::string& label) { return "run_" + label; },
      Json::array({Json::array({"c", 2})}));
  result["results"].push_back(
      {{"success", false}, {"data", Json::object()}, {"header", {{"name", "run_XX"}}}});
  folder.file("failed.json", result.dump());
  Json json = summary("failed.json --rank 1 --target target.npy");
  EXPECT_GE(json["fidelity"].get<double>(), 0.9999);
  EXPECT_EQ(json["stderr"], "projfgd: failed.json: left out 1 of 10 results without counts\n");
  result["results"].back() = {{"data", {{"counts", {{"00", 10}}}}},
                              {"header", {{"name", "calibration"}}}};
  folder.file("mixed.json", result.dump());
  expect_error("mixed.json", 2, "results[9]");
  json = summary("mixed.json --basis-pattern 'run_(.*)' --rank 1");
  EXPECT_EQ(json["stderr"],
            "projfgd: mixed.json: left out 1 of 10 results that --basis-pattern does not match\n");
  expect_error("mixed.json --basis-pattern 'walk_(.*)'", 2, "--basis-pattern");
}

TEST_F(TomographyCli, ReadsQuasiDistributionsAndMitigatedCounts) {
  Json list = Json::array(), metadata = Json::array(), mitigated = Json::object();
  for (const auto& label : labels()) {
    Json quasi = Json::object(), counts = Json::object();
    const auto whole = counts_of(label);
    for (int k = 0; k < 4; ++k) {
      const int count = whole[static_cast<std::size_t>(k)];
      // A little is moved between outcomes, as mitigation does; some end below zero.
      quasi[std::to_string(k)] = (count + (k % 2 == 0 ? 0.5 : -0.5)) / shots;
      counts[bits(k)] = count + (k % 2 == 0 ? 0.5 : -0.5);
    }
    list.push_back(quasi);
    metadata.push_back({{"shots", shots}, {"basis", label}});
    mitigated[label] = counts;
  }
  folder.file("quasi.json", Json{{"quasi_dists", list}, {"metadata", metadata}}.dump());
  expect_state("quasi.json");
  folder.file("mitigated.json", mitigated.dump());
  expect_state("mitigated.json");
  EXPECT_EQ(summary("mitigated.json --rank 1")["loss"], "least-squares");
  EXPECT_EQ(summary("mitigated.json --rank 1")["shots"], 9 * shots);
  expect_error("mitigated.json --loss poisson", 2, "negative");
  // The shots are known, so they are not asked for; the lowest number is named.
  const std::string guess = summary("mitigated.json")["stderr"];
  EXPECT_NE(guess.find("the negative count -0.5, so there is no likelihood"), std::string::npos)
      << guess;
  EXPECT_NE(guess.find("the rank is a guess: try --loss weighted\n"), std::string::npos) << guess;
  EXPECT_EQ(guess.find("--shots"), std::string::npos) << guess;
  EXPECT_EQ(summary("mitigated.json --loss weighted")["stderr"].get<std::string>().find("guess"),
            std::string::npos);
}

/// The single shots behind the counts, a bit a qubit, the left one first.
std::vector<std::uint8_t> single_shots(const std::string& label) {
  std::vector<std::uint8_t> all;
  const auto counts = counts_of(label);
  for (int k = 0; k < 4; ++k) {
    for (int shot = 0; shot < counts[static_cast<std::size_t>(k)]; ++shot) {
      all.push_back(static_cast<std::uint8_t>(k / 2));
      all.push_back(static_cast<std::uint8_t>(k % 2));
    }
  }
  return all;
}

TEST_F(TomographyCli, ReadsCirqResults) {
  Json list = Json::array();
  for (const auto& label : labels()) {
    const auto all = single_shots(label);
    std::string digits;
    for (std::size_t i = 0; i < all.size(); i += 4) {
      const int nibble = 8 * all[i] + 4 * all[i + 1] + 2 * all[i + 2] + all[i + 3];
      digits += fmt::format("{:x}", nibble);
    }
    list.push_back({{"cirq_type", "ResultDict"},
                    {"params", {{"cirq_type", "ParamResolver"}, {"param_dict", Json::array()}}},
                    {"records",
                     {{label,
                       {{"packed_digits", digits},
                        {"binary", true},
                        {"dtype", "uint8"},
                        {"shape", {all.size() / 2, 1, 2}}}}}}});
  }
  folder.file("all.json", list.dump());
  expect_state("all.json");
  std::string files;
  for (std::size_t i = 0; i < list.size(); ++i) {
    files += fmt::format("cirq{}.json ", i);
    folder.file(fmt::format("cirq{}.json", i), list[i].dump());
  }
  expect_state(files);
}

TEST_F(TomographyCli, ReadsPennylaneShadows) {
  std::vector<std::uint8_t> all, recipes;
  for (const auto& label : labels()) {
    const auto these = single_shots(label);
    for (std::size_t i = 0; i < these.size(); ++i) {
      all.push_back(these[i]);
      recipes.push_back(static_cast<std::uint8_t>(label[i % 2] - 'X'));
    }
  }
  const Index snapshots = std::ssize(all) / 2;
  folder.file("bits.npy", npy_bytes({snapshots, 2}, all));
  folder.file("recipes.npy", npy_bytes({snapshots, 2}, recipes));
  expect_state("bits.npy recipes.npy");
  expect_state("recipes.npy bits.npy");
  all.insert(all.end(), recipes.begin(), recipes.end());
  folder.file("shadow.npy", npy_bytes({2, snapshots, 2}, all));  // as classical_shadow returns it
  expect_state("shadow.npy");
  expect_error("bits.npy", 2, "bits and recipes");
}

TEST_F(TomographyCli, ReadsBraketAndIonq) {
  std::string braket, measured, ionq, rates;
  for (const auto& label : labels()) {
    Json shot_list = Json::array(), probabilities = Json::object();
    const auto all = single_shots(label);
    for (std::size_t i = 0; i < all.size(); i += 2) shot_list.push_back({all[i], all[i + 1]});
    const Json counts = counts_json(label, bits);
    for (const auto& [key, count] : counts.items()) {
      probabilities[key] = count.get<double>() / shots;
    }
    braket += "braket_" + label + ".json ";
    folder.file("braket_" + label + ".json",
                Json{{"measurementCounts", counts}, {"measuredQubits", {0, 1}}}.dump());
    measured += "shots_" + label + ".json ";
    folder.file("shots_" + label + ".json",
                Json{{"measurements", shot_list}, {"measuredQubits", {0, 1}}}.dump());
    rates += "rates_" + label + ".json ";
    folder.file("rates_" + label + ".json", Json{{"measurementProbabilities", probabilities},
                                                 {"taskMetadata", {{"shots", shots}}},
                                                 {"measuredQubits", {0, 1}}}
                                                .dump());
    ionq += "ionq_" + label + ".json ";
    folder.file("ionq_" + label + ".json",
                counts_json(label, [](int k) { return std::to_string(k); }).dump());
  }
  expect_state(braket);
  expect_state(measured);
  expect_state(rates);
  expect_state(ionq);
  expect_state("--format ionq " + ionq);
  expect_error("--format cirq " + ionq, 2, "ionq_XX.json");
  folder.file("run.json", R"({"0": 500, "3": 250})");
  expect_error("run.json", 2, "no basis");
}

}  // namespace
}  // namespace projfgd::test
