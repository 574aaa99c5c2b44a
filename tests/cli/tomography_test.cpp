// What the tomography verb refuses and what it answers.
#include <fmt/format.h>

#include <cmath>

#include "projfgd/io/files.hpp"
#include "projfgd/io/sha256.hpp"
#include "support/tomography_program.hpp"

namespace projfgd::test {
namespace {

TEST_F(TomographyCli, RefusesBadInputInOneSentence) {
  // Unknown letters, mixed lengths
  expect_refused("a.json", R"({"XQ": {"00": 10}})", "letter 'Q'");
  expect_refused("a.csv", "pauli,expectation\nXQ,0.5\n", "'Q'");
  expect_refused("a.json", R"({"XX": {"00": 10}, "X": {"0": 10}})", "1 qubits");
  expect_refused("a.json", R"({"XXX": {"00": 10, "01": 5}})", "outcome \"00\"");
  expect_refused("a.csv", "pauli,expectation\nXX,0.5\nXXX,0.5\n", "line 3");
  // Values that cannot be
  expect_refused("a.csv", "pauli,expectation\nXX,1.5\n", "1.5");
  expect_refused("a.csv", "pauli,expectation,stderr\nXX,1.5,0.01\n", "1.5");
  expect_refused("a.csv", "pauli,expectation,stderr\nXX,0.5,-0.01\n", "stderr");
  expect_refused("a.csv", "pauli,expectation\nXX,nan\n", "finite");
  expect_refused("a.csv", "pauli,expectation\nXX,1e999\n", "finite");
  expect_refused("a.csv", "pauli;expectation\nXX;0,5\n", "\"0,5\"");
  expect_refused("a.json", R"({"XX": {"00": -5, "11": 10}})", "negative count -5");
  expect_refused("a.json", R"({"XX": {"00": -5.5, "11": 10.2}})", "negative count -5.5");
  expect_refused("a.json", R"({"XX": {"00": NaN}})", "JSON");
  expect_refused("a.json", R"({"XX": {"00": 1e999}})", "too large");
  expect_refused("a.json", R"({"XX": {"00": "many"}})", "many");
  expect_refused("a.json", R"({"XX": {"00": 0.2, "11": 0.3}})", "sum to 0.5");
  // Settings without counts, counts without settings
  expect_refused("a.json", R"({"XX": {}})", "no counts");
  expect_refused("a.json", R"({"XX": {"00": 0, "11": 0}})", "no counts");
  expect_refused("a.json", R"({"quasi_dists": [{"0": 1}, {"1": 1}], "metadata": [{"basis": "X"}]})",
                 "metadata");
  expect_refused("a.json", R"({"results": [{"data": {"counts": {"0x0": 5}}, "header": {}}]})",
                 "no basis");
  expect_refused("a.json", R"({"results": []})", "no setting");
  expect_refused("a.json", R"({"XX": {"4": 10}})", "outcome 4");
  // Duplicates, cut and empty files, other files
  expect_refused("a.json", R"({"XX": {"00": 1}, "XX": {"00": 2}})", "XX");
  expect_refused("a.json", R"({"XX": {"00": 1, "00": 2}})", "00");
  expect_refused("a.json", R"({"XX": {"00": 1)", "JSON");
  expect_refused("a.csv", "pauli,expectation\nXX,0.5\nZZ,0.", "truncated");
  expect_refused("a.json", "", "empty");
  expect_refused("a.json", "{}", "empty");
  expect_refused("a.csv", "pauli,expectation\n", "no row");
  expect_refused("a.csv", "one,two\n1,2\n", "pauli");
  expect_refused("a.gz", "\x1F\x8B\x08", "gzip");
  expect_refused("a.csv", std::string("\xFF\xFEp\0a\0", 6), "UTF-16");
  expect_error("none.json", 3, "none.json");
}

TEST_F(TomographyCli, RefusesWhatCannotFitBeforeItAllocates) {
  const std::string many(40, 'X'), some(24, 'X');
  folder.file("a.csv", "pauli,expectation\n" + many + ",0.5\n");
  expect_error("a.csv", 4, "qubits");
  folder.file("a.json", R"({")" + many + R"(": {"0": 5}})");
  expect_error("a.json", 4, "qubits");
  folder.file("b.csv", "pauli,expectation\n" + some + ",0.5\n");
  expect_error("b.csv --rank 1000000", 4, "memory");
  Json wide = Json::object();
  for (int s = 0; s < 729; ++s) {
    std::string label = some;
    for (int j = 0, rest = s; j < 6; ++j, rest /= 3)
      label[static_cast<std::size_t>(j)] = "XYZ"[rest % 3];
    wide[label] = {{"0", 5}};
  }
  folder.file("wide.json", wide.dump());
  expect_error("wide.json --rank 1000000", 4, "memory");
}

TEST_F(TomographyCli, RefusesWrongOptions) {
  write_counts("a.json");
  expect_error("a.json --format xml", 2, "format");
  expect_error("a.json --bit-order left", 2, "bit-order");
  expect_error("a.json --loss hinge", 2, "loss");
  expect_error("a.json --rank 5", 2, "rank");
  expect_error("a.json --rank many", 2, "rank");
  expect_error("a.json --target cat", 2, "cat");
  expect_error("a.json --target ghost.npy", 3, "ghost.npy");
  expect_error("a.json --reduced 2", 2, "qubit 2");
  expect_error("a.json --reduced 0,0", 2, "twice");
  expect_error("a.json --readout none.json", 3, "none.json");
  folder.file("o.txt", "XXX\n");
  expect_error("a.json --observables o.txt", 2, "o.txt");
  folder.file("r.json", "[[[0.9, 0.2], [0.2, 0.8]]]");
  expect_error("a.json --readout r.json", 2, "r.json");
  folder.file("b.json", R"({"T": [[1, 0], [1, 0]]})");
  expect_error("a.json --bases b.json", 2, "orthonormal");
  expect_error("a.json --device tpu", 2, "auto, cpu, gpu or gpu:K");
  expect_error("a.json --device gpu:x", 2, "gpu:x");
  expect_error("a.json --device gpu", 2, "");  // counts do not run there, with or without CUDA
}

TEST_F(TomographyCli, TheFullRankHasAName) {
  write_counts("a.json");
  const Json full = summary("a.json --rank full"), four = summary("a.json --rank 4");
  EXPECT_EQ(full["rank"], 4);
  EXPECT_EQ(full["objective"], four["objective"]);
  EXPECT_EQ(full["iterations"], four["iterations"]);
  expect_error("a.json --rank most", 2,
               "--rank: found \"most\", expected auto, full or an integer >= 1");
}

TEST_F(TomographyCli, TheStatusLineSaysThatTheAnswerDoesNotFit) {
  folder.file("mixed.json", R"({"X": [500, 500], "Y": [500, 500], "Z": [500, 500]})");
  const Outcome poor = run("projfgd tomography mixed.json --rank 1");
  EXPECT_EQ(poor.code, 0);
  EXPECT_TRUE(poor.out.starts_with("purity")) << poor.out;
  EXPECT_NE(poor.out.find("converged, but does not fit the data"), std::string::npos) << poor.out;
  EXPECT_NE(poor.err.find("times worse than expected from shot noise"), std::string::npos)
      << poor.err;
  const Outcome good = run("projfgd tomography mixed.json --rank full");
  EXPECT_EQ(good.out.find("but does not fit the data"), std::string::npos) << good.out;
  EXPECT_NE(good.out.find("converged, and fits the data"), std::string::npos) << good.out;
  EXPECT_NE(good.out.find("no degrees of freedom are left"), std::string::npos) << good.out;
}

TEST_F(TomographyCli, HelpShowsHowListsAreGivenAndWhatIsWritten) {
  const auto help = [&](const char* verb) {
    std::string text = run(std::string("projfgd ") + verb + " --help").out, flat;
    for (const char c : text) {  // lines are broken where they fit
      if (c != ' ' && c != '\n') flat += c;
    }
    return flat;
  };
  EXPECT_NE(help("tomography").find("--reduced0,2--reduced1"), std::string::npos);
  EXPECT_NE(help("simulate counts").find("readout.json"), std::string::npos);
}

TEST_F(TomographyCli, NamesWhatAPatternMatched) {
  folder.file("run_AB.json", R"({"0": 500, "3": 500})");
  expect_error("run_AB.json --basis-pattern 'run_(..)'", 2,
               "run_AB.json: found \"AB\", which --basis-pattern \"run_(..)\" matches in "
               "\"run_AB\", expected X, Y, Z or a letter of --bases");
}

TEST_F(TomographyCli, RefusesDetectorsThatTellNothing) {
  write_counts("a.json");
  folder.file("blind.json", "[[[0.9, 0.1], [0.1, 0.9]], [[0.5, 0.5], [0.5, 0.5]]]");
  expect_error(
      "a.json --readout blind.json", 2,
      "blind.json: qubit 1: found 0 read as 0 with probability 0.5 and 1 read as 0 with 0.5, "
      "expected different probabilities");
  folder.file("full.json", R"({"00": [1, 0, 0, 0], "01": [0, 1, 0, 0], "10": [0, 1, 0, 0],
                               "11": [0, 0, 0, 1]})");
  expect_error("a.json --readout full.json", 2,
               "full.json: found a matrix whose smallest singular value is 0");
}

TEST_F(TomographyCli, NamesTheFileOfAStateThatIsNone) {
  write_counts("a.json");
  write_npy(folder / "zero.npy", {{4, 1}, false, {0, 0, 0, 0}});
  expect_error("a.json --target zero.npy", 2, "zero.npy: found only zeros, expected a state");
}

TEST_F(TomographyCli, SaysThatTheSameFileCountsTwice) {
  write_counts("a.json");
  write_counts("b.json");
  const Json same = summary("a.json ./a.json --rank 1"), other = summary("a.json b.json --rank 1");
  EXPECT_EQ(same["stderr"],
            "projfgd: ./a.json was given more than once, so its data are counted more than once\n");
  EXPECT_EQ(other["stderr"], "");  // more shots of the same settings are welcome
  EXPECT_EQ(other["shots"], 2 * 9 * shots);
}

TEST_F(TomographyCli, SinglePrecisionAndThreadsGiveTheSameState) {
  write_counts("a.json");
  const Json single = summary("a.json --rank 1 --target target.npy --precision single");
  EXPECT_EQ(single["precision"], "single");
  EXPECT_GE(single["fidelity"].get<double>(), 0.9999);
  for (const char* threads : {"1", "2", "4"}) {
    run(fmt::format("projfgd tomography a.json --rank 2 --quiet --threads {0} --out t{0}",
                    threads));
  }
  for (const char* name : {"factor.npy", "density_matrix.npy"}) {
    EXPECT_EQ(read_file(folder / "t1" / name), read_file(folder / "t2" / name));
    EXPECT_EQ(read_file(folder / "t1" / name), read_file(folder / "t4" / name));
  }
}

TEST_F(TomographyCli, TakesBasesOfOnesOwn) {
  const double c = std::cos(M_PI / 8),
               s = std::sin(M_PI / 8);  // the eigenstates of (X + Z) / sqrt 2
  folder.file("bases.json", Json{{"H", {{c, s}, {-s, c}}}}.dump());
  // |0> in H: cos^2(pi/8) = 0.8536. Without H the sign of <X> alone would be open.
  folder.file("a.json", R"({"Z": {"0": 1000}, "Y": [500, 500], "H": {"0": 854, "1": 146}})");
  const Json json = summary("a.json --bases bases.json --rank 1 --target zero");
  EXPECT_EQ(json["input_sha256"],
            sha256(read_file(folder / "a.json") + read_file(folder / "bases.json")));
  EXPECT_GE(json["fidelity"].get<double>(), 0.999);
  expect_error("a.json", 2, "--bases");
}

TEST_F(TomographyCli, ObservablesRunAsTheLabelsOfTheDataDo) {
  folder.file("p.csv", "pauli,expectation\nZI,1\nIX,1\nZX,1\nXI,0\nIZ,0\nXZ,0\nYI,0\nIY,0\n");
  folder.file("o.txt", "ZX\nXZ\n");
  for (const char* order : {"qubit0-right", "qubit0-left"}) {
    const Json json =
        summary(fmt::format("p.csv --rank 1 --observables o.txt --label-order {}", order));
    EXPECT_NEAR(json["expectations"]["ZX"].get<double>(), 1, 1e-5) << order;
    EXPECT_NEAR(json["expectations"]["XZ"].get<double>(), 0, 1e-5) << order;
  }
  folder.file("o.txt", "ZQ\n");
  expect_error("p.csv --rank 1 --observables o.txt", 2, "o.txt: found \"ZQ\"");
}

TEST_F(TomographyCli, AnswersWhatIsAsked) {
  ASSERT_EQ(
      run("projfgd simulate counts --qubits 3 --state ghz --shots 2000 --settings all --seed 4 "
          "--out g --quiet")
          .code,
      0);
  folder.file("o.txt", "XXX\nzzi\n\n");
  const Json json = summary(
      "g/counts.json --rank 1 --target ghz --observables o.txt --reduced 0,2 "
      "--reduced 1 --out r");
  EXPECT_GE(json["fidelity"].get<double>(), 0.999);
  EXPECT_LE(json["trace_distance"].get<double>(), 0.05);
  EXPECT_NEAR(json["expectations"]["XXX"].get<double>(), 1, 0.01);
  EXPECT_NEAR(json["expectations"]["ZZI"].get<double>(), 1, 0.01);
  EXPECT_NEAR(json["purity"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(json["reduced_purity"]["0_2"].get<double>(), 0.5, 0.01);
  const auto pair = to_matrix<std::complex<double>>(read_npy(folder / "r/reduced_0_2.npy"), "pair");
  const auto single =
      to_matrix<std::complex<double>>(read_npy(folder / "r/reduced_1.npy"), "single");
  EXPECT_EQ(pair.rows(), 4);
  EXPECT_NEAR(std::abs(pair.trace() - 1.0), 0, 1e-12);
  EXPECT_NEAR(std::abs(single(0, 0) - 0.5), 0, 0.05);
  for (const char* name :
       {"summary.json", "trace.csv", "factor.npy", "density_matrix.npy", "report.html"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / "r" / name)) << name;
  }
  EXPECT_NE(read_file(folder / "r/report.html").find("Expectation of ZZI"), std::string::npos);
  const double named = json["fidelity"].get<double>();
  for (const char* file : {"g/target.npy", "g/truth.npy", "r/density_matrix.npy"}) {
    const Json other = summary(std::string("g/counts.json --rank 1 --target ") + file);
    EXPECT_NEAR(other["fidelity"].get<double>(), std::string(file).starts_with("g") ? named : 1,
                1e-6)
        << file;
  }
}

TEST_F(TomographyCli, PutsTheDetectorsIntoTheModel) {
  ASSERT_EQ(run("projfgd simulate counts --qubits 2 --state ghz --shots 4000 --settings all "
                "--readout-error 0.06 --out g --quiet")
                .code,
            0);
  const double plain = summary("g/counts.json --rank 4 --target bell")["fidelity"];
  EXPECT_LE(plain, 0.92);
  // The same detectors as matrices, as two calibration runs and as all four.
  Json ends = Json::object(), all = Json::object();
  for (int prepared = 0; prepared < 4; ++prepared) {
    for (int read = 0; read < 4; ++read) {
      const int wrong = (((prepared ^ read) & 1) != 0 ? 1 : 0) + ((prepared ^ read) / 2);
      const int count = static_cast<int>(10000 * std::pow(0.94, 2 - wrong) * std::pow(0.06, wrong));
      all[bits(prepared)][bits(read)] = count;
      if (prepared == 0 || prepared == 3) ends[bits(prepared)][bits(read)] = count;
    }
  }
  folder.file("all.json", all.dump());
  folder.file("ends.json", ends.dump());
  for (const char* file : {"g/readout.json", "ends.json", "all.json"}) {
    const Json json =
        summary(std::string("g/counts.json --rank 4 --target bell --readout ") + file);
    EXPECT_GE(json["fidelity"].get<double>(), 0.98) << file;
    EXPECT_EQ(json["stderr"], "") << file;
  }
  folder.file("some.json", R"({"00": {"00": 10}, "01": {"01": 10}})");
  expect_error("g/counts.json --readout some.json", 2, "some.json");
}

TEST_F(TomographyCli, FindsTheRankAndSaysWhy) {
  ASSERT_EQ(
      run("projfgd simulate pauli --qubits 5 --rank 2 --csam 8 --noise-norm 0.05 --out p --quiet")
          .code,
      0);
  for (const char* arguments : {"p/pauli.csv", "p/pauli.csv --rank auto"}) {
    const Json json = summary(arguments);
    EXPECT_EQ(json["rank"], 2);
    EXPECT_NE(json["rank_reason"].get<std::string>().find("noise alone would give"),
              std::string::npos);
  }
  EXPECT_FALSE(summary("p/pauli.csv --rank 2").contains("rank_reason"));
}

TEST_F(TomographyCli, NamesTheOptionThatMendsTheOrder) {
  write_counts("a.json");
  for (const char* option : {"--label-order", "--bit-order"}) {
    const Json json = summary(fmt::format("a.json --rank 4 {} qubit0-left", option));
    const auto line = json["stderr"].get<std::string>();
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    EXPECT_NE(line.find("times worse than expected from shot noise"), std::string::npos) << line;
    EXPECT_NE(line.find(fmt::format("{} qubit0-right", option)), std::string::npos) << line;
  }
  // Both turned round is the same state with its qubits in the other order.
  const Json both = summary("a.json --rank 1 --label-order qubit0-left --bit-order qubit0-left");
  EXPECT_EQ(both["stderr"], "");
}

}  // namespace
}  // namespace projfgd::test
