// What the program says when something is wrong: one sentence with the place, what was found and
// what was expected.
#include "projfgd/io/npy.hpp"
#include "support/program.hpp"

namespace projfgd::test {
namespace {

class Messages : public testing::Test {
 protected:
  Messages() {
    folder.file("picture.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
    folder.file("empty", "");
    folder.file("empty.json", "{}");
    folder.file("cut.json", "{\"XX\": {\"00\": 12, \"0");
    folder.file("words.npy", "hello there\n");
    folder.file("good.csv", "pauli,expectation\nXX,0.5\nYY,0.5\nZZ,1\n");
    folder.file("entries.csv", "row,column,value\n0,0,1\n0,1,2\n1,1,4\n");
    write_npy(folder / "four.npy", {{4}, false, {1, 2, 3, 4}});
  }

  /// Expects the sentence, after "projfgd: ", with nothing before or behind it.
  void expect(const std::string& command, int code, const std::string& sentence) const {
    expect_error(folder.path(), "projfgd " + command, code, "projfgd: " + sentence + "\n");
  }
  void expect_file(const std::string& name, const std::string& text, const std::string& verb,
                   const std::string& sentence) const {
    folder.file(name, text);
    expect(verb + " " + name, 2, name + ": " + sentence);
  }
  /// Of a picture and of a file without a byte.
  void expect_no_data(const std::string& verb, const std::string& expected) const {
    expect(verb + " picture.png", 2, "picture.png: found a PNG image, expected " + expected);
    expect(verb + " empty", 2, "empty: found an empty file, expected " + expected);
  }

  TemporaryFolder folder;
};

TEST_F(Messages, TomographySaysWhatAWrongFileIs) {
  const std::string expected =
      "Pauli expectations, counts of settings or of projectors (CSV or JSON) or classical shadows "
      "(NPY)";
  expect_no_data("tomography", expected);
  expect("tomography empty.json", 2, "empty.json: found an empty object, expected " + expected);
  expect("tomography cut.json", 2,
         "cut.json: line 1, column 21: found the end of the file, expected the rest of the JSON "
         "(was it truncated?)");
  expect_file("a.json", "{\"XX\": 0.5,, }", "tomography",
              "line 1, column 12: found \",\", expected valid JSON");
  expect_file("a.csv", "XX,0.5\nYY,0.5\n", "tomography",
              "line 1: found \"XX,0.5\", expected a header such as pauli,expectation or "
              "basis,outcome,count or basis,00,01,10,11 or projector,count");
  expect_file(
      "b.csv", "pauli,expectation\nXX,0.5", "tomography",
      "line 2: found \"XX,0.5\" and the end of the file, expected a line end (was it truncated?)");
  expect_file("a.gz", "\x1F\x8B\x08", "tomography",
              "found a gzip file, expected the unpacked file, or a spreadsheet saved as CSV");
  expect_file("a.bin", std::string("ab\0\1", 4), "tomography",
              "found binary data, expected " + expected);
}

TEST_F(Messages, TomographySaysWhichLabelIsOfAnotherKind) {
  expect_file("a.json", R"({"XX": 0.4, "YY": {"00": 12}})", "tomography",
              "YY: found counts {\"00\":12}, expected an expectation value as the first label has");
  expect_file("b.json", R"({"XX": {"00": 12}, "YY": 0.4})", "tomography",
              "YY: found 0.4, expected counts by outcome, or a list of 4 counts");
  expect_file("c.json", R"({"XX": {"00": 12}, "YYZ": {"000": 12}})", "tomography",
              "YYZ: found a label of 3 qubits, expected 2 as in the first, \"XX\"");
  expect_file("a.csv", "pauli,expectation\nXX,0.5\nXYZ,0.1\n", "tomography",
              "line 3: found label \"XYZ\" of 3 qubits, expected 2 as in the first, \"XX\"");
}

TEST_F(Messages, TomographyMixesNoCountsWithExpectations) {
  const std::string counts = "counts in the layout labels", paulis = "Pauli expectations";
  const std::string reason = " as in the first file: counts and expectations cannot be mixed";
  folder.file("a.json", R"({"XX": {"00": 12}})");
  folder.file("b.json", R"({"XX": 0.5})");
  expect("tomography a.json good.csv", 2,
         "good.csv: found " + paulis + ", expected " + counts + reason);
  expect("tomography a.json b.json", 2,
         "b.json: found " + paulis + ", expected " + counts + reason);
  expect("tomography good.csv a.json", 2,
         "a.json: found " + counts + ", expected " + paulis + reason);
}

TEST_F(Messages, TomographyRefusesAPatternThatIsNone) {
  folder.file("a.json", R"({"XX": {"00": 12}})");
  expect("tomography a.json --basis-pattern '('", 2,
         "--basis-pattern: found \"(\", expected a regular expression: missing ): (");
}

TEST_F(Messages, AFileIsNoFolder) {
  expect(
      "solve entries.csv --rank 1 --out empty", 2,
      "solve --out: found the file \"empty\", expected a folder or a new name; see projfgd solve "
      "--help");
}

TEST_F(Messages, AFolderThatCannotBeMadeIsSaidBeforeTheDataAreRead) {
  for (const char* command :
       {"tomography nosuch", "phase nosuch", "solve nosuch", "compare nosuch",
        "simulate pauli --qubits 99", "simulate counts --qubits 99", "simulate cdp"}) {
    const std::string words = std::string("projfgd ") + command;
    expect_error(folder.path(), words + " --out empty/o", 3,
                 "empty/o: cannot make the folder: Not a directory");
    expect_error(folder.path(), words + " --out /proc/o", 3, "/proc/o: cannot make the folder: ");
    EXPECT_GT(shell(folder.path(), words + " --out new").code, 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "new")) << command;
  }
}

TEST_F(Messages, PhaseSaysWhatAWrongFileIs) {
  expect("phase nosuch", 3, "nosuch: cannot open: No such file or directory");
  expect_no_data("phase", "an NPY, HDF5 or CXI file");
  expect(
      "phase words.npy", 2,
      "words.npy: found text that begins with \"hello there\", expected an NPY, HDF5 or CXI file");
}

TEST_F(Messages, SolveSaysWhatAWrongFileIs) {
  const std::string expected =
      "a JSON description, or a file of known entries that ends in .csv or .mtx";
  expect_no_data("solve", expected);
  expect("solve four.npy", 2, "four.npy: found an NPY file, expected " + expected);
  expect("solve empty.json", 2, "empty.json: found an empty object, expected the key \"operator\"");
  expect_file("a.mtx", "", "solve --rank 1",
              "found an empty file, expected a line \"%%MatrixMarket matrix coordinate FIELD "
              "SYMMETRY\"");
  expect_file("a.csv", "0,0,1\n", "solve --rank 1",
              "line 1: found \"0,0,1\", expected a header such as row,column,value");
  expect_file("a.json", R"({"operator": {"type": "dense"}, "dimension": 2, "colour": "red"})",
              "solve",
              "found the key \"colour\", expected one of dimension, field, operator, data, loss, "
              "constraint, rank, truth");
  expect("solve entries.csv", 2, "entries.csv: found no rank, expected --rank R");
}

TEST_F(Messages, SolveNamesTheFileThatIsWrong) {
  const auto description = [](const std::string& keys) {
    return R"({"dimension": 2, "data": "four.npy", )" + keys + "}";
  };
  const std::string dense = R"("operator": {"type": "dense", "matrices": "a.npy"})";
  write_npy(folder / "a.npy", {{2, 2, 2}, false, {1, 0, 0, 1, 1, 2, 3, 4}});
  folder.file("a.json", description(dense + R"(, "rank": 1)"));
  expect("solve a.json", 2,
         "a.npy: measurement matrix 1: found one that differs from its adjoint, by 1 at [0, 1], "
         "expected a Hermitian matrix of finite numbers");
  write_npy(folder / "a.npy", {{0, 2, 2}, false, {}});
  expect("solve a.json", 2, "a.npy: found shape 0 x 2 x 2, expected m x 2 x 2 with m >= 1");
  expect_file("b.json", description(dense + R"(, "rank": 21)"), "solve",
              "\"rank\": found 21, expected an integer from 1 to the dimension 2");
  const auto with_set = [](const std::string& set) {
    return R"({"dimension": 2, "rank": 1, "operator": {"type": "entries", "file": "entries.csv"},)"
           R"( "constraint": )" +
           set + "}";
  };
  for (const char* set : {R"({"type": "l1-ball"})", R"("l1-ball")"}) {
    expect_file("b.json", with_set(set), "solve",
                "--constraint l1-ball: found no radius, expected one > 0, as in l1-ball:1.5");
  }
  for (const char* set : {R"("ball")", R"({"type": "ball"})"}) {
    folder.file("b.json", with_set(set));
    const std::string said = shell(folder.path(), "projfgd solve b.json").err;
    EXPECT_TRUE(said.starts_with("projfgd: b.json: constraint: found \"ball\", expected none, "))
        << said;
  }
  expect_file("b.json", description(R"("rank": 1, "operator": {"type": "dense", "colour": "red"})"),
              "solve", "found the key \"colour\", expected one of type, matrices");
  expect_file("b.csv", "row,column,value\n", "solve --rank 1",
              "found no row, expected at least one entry");
}

TEST_F(Messages, SolveRefusesEntriesThatContradictEachOther) {
  const std::string expected =
      ", expected a Hermitian matrix: its conjugate, or only one of the two";
  expect_file("a.csv", "row,column,value\n0,0,1\n0,1,2\n1,0,3\n", "solve --rank 1",
              "found 2 at (0, 1) and 3 at (1, 0)" + expected);
  expect_file("a.mtx",
              "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 2 1 1\n2 1 1 1\n",
              "solve --rank 1", "found 1+1i at (1, 2) and 1+1i at (2, 1)" + expected);
  expect_file("b.csv", "row,column,value,imaginary\n0,0,1,1\n", "solve --rank 1",
              "found 1+1i at (0, 0), expected a real number on the diagonal");
  // Both triangles of a Hermitian matrix, and a place that was measured twice, are legal.
  folder.file("c.csv",
              "row,column,value,imaginary\n0,0,1,0\n0,1,0,1\n1,0,0,-1\n1,1,1,0\n1,1,1.1,0\n");
  EXPECT_EQ(shell(folder.path(), "projfgd solve c.csv --rank 1").code, 0);
}

TEST_F(Messages, OptionsNameTheValuesTheyTake) {
  expect("tomography good.csv --target cat", 2,
         "--target: found \"cat\", expected ghz, w, bell, phi-, psi+, psi-, plus, zero or a "
         "file of amplitudes (NPY or JSON)");
  expect("tomography good.csv --tolerance abc", 2,
         "tomography --tolerance: found \"abc\", expected a number; see projfgd tomography "
         "--help");
  expect("tomography good.csv --max-iterations 1.5", 2,
         "tomography --max-iterations: found \"1.5\", expected an integer; see projfgd "
         "tomography --help");
  for (const std::string shots : {"-1", "0", "nan", "inf", "some"}) {
    expect("tomography good.csv --shots " + shots, 2,
           "tomography --shots: found \"" + shots +
               "\", expected a number above 0; see projfgd tomography --help");
  }
  expect("solve entries.csv --threads -1", 2,
         "solve --threads: found \"-1\", expected 0 to 4096; see projfgd solve --help");
  expect("solve entries.csv --seed -1", 2,
         "solve --seed: found \"-1\", expected an integer >= 0; see projfgd solve --help");
  expect("solve entries.csv --rank 1 --constraint l1-ball", 2,
         "--constraint l1-ball: found no radius, expected one > 0, as in l1-ball:1.5");
  expect("solve entries.csv --rank 1 --constraint l1-ball:x", 2,
         "--constraint l1-ball: found the radius \"x\", expected one > 0, as in l1-ball:1.5");
  for (const char* verb : {"solve entries.csv", "phase four.npy"}) {
    expect(std::string(verb) + " --rank auto", 2,
           "--rank: found \"auto\", expected an integer >= 1");
  }
}

TEST_F(Messages, AnOptionGivenTwiceSaysSo) {
  for (const std::string option : {"--masks", "--loss", "--init", "--out"}) {
    expect("phase four.npy " + option + " a " + option + " b", 2,
           "phase " + option + ": found 2 values, expected one; see projfgd phase --help");
  }
  expect("tomography good.csv --bit-order qubit0-left --bit-order qubit0-left", 2,
         "tomography --bit-order: found 2 values, expected one; see projfgd tomography --help");
}

TEST_F(Messages, HelpIsACommandToo) {
  const auto said = [this](const std::string& command) {
    return shell(folder.path(), "projfgd " + command).out;
  };
  EXPECT_NE(said("help").find("Examples:"), std::string::npos);
  EXPECT_EQ(said("help"), said("--help"));
  EXPECT_EQ(said("help tomography"), said("tomography --help"));
  EXPECT_EQ(said("help simulate cdp"), said("simulate cdp --help"));
  EXPECT_EQ(shell(folder.path(), "projfgd help nothing").code, 2);
}

TEST_F(Messages, NothingIsNoFolderAndNoPhotonsAreNoData) {
  expect("solve entries.csv --rank 1 --out ''", 2,
         "solve --out: found \"\", expected the name of a folder; see projfgd solve --help");
  expect("simulate cdp --size 8x8 --photons 0 --out d", 2,
         "--photons: found 0, expected a number above 0");
}

TEST_F(Messages, CompareSaysWhatItCannotCompareAndAtWhichRankItDoes) {
  const std::string expected =
      ", expected Pauli expectations, counts of settings or of projectors (CSV or JSON) or "
      "classical shadows (NPY)";
  folder.file("p.json", R"({"operator": {"type": "dense"}, "dimension": 2})");
  expect("compare p.json", 2, "p.json: found a description for projfgd solve" + expected);
  folder.file("e.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 1 1\n");
  expect("compare e.mtx", 2,
         "e.mtx: found known entries of a matrix, for projfgd solve" + expected);
  const std::string command = "projfgd compare good.csv --methods projfgd,svp";
  EXPECT_EQ(shell(folder.path(), command).err,
            "projfgd: all methods were compared at rank 1; use --rank for another\n");
  EXPECT_EQ(shell(folder.path(), command + " --rank 1").err, "");
  const std::string without = "projfgd compare good.csv --methods projfgd,fgd --rank 1";
  EXPECT_TRUE(shell(folder.path(), without)
                  .err.starts_with("projfgd: fgd: the answer is infeasible: tr X = "));
}

TEST_F(Messages, CompareTellsItsSetItsRuleAndWhatStepsChange) {
  const std::string help = shell(folder.path(), "projfgd compare --help").out;
  std::string line;  // without the breaks of lines
  for (const char c : help) {
    if (c != '\n' && (c != ' ' || !line.ends_with(' '))) line += c;
    if (c == '\n' && !line.ends_with(' ')) line += ' ';
  }
  for (const char* part :
       {"[frobenius-ball:1 for states, none for images]", "the longest of their last 5 (svp, rsvp)",
        "with theory, sparse-approx-sdp, acc-uni-pd-grad and uni-pd-grad run as published"}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << help;
  }
  const std::string phase = shell(folder.path(), "projfgd phase --help").out;
  EXPECT_EQ(phase.find("sparse-approx-sdp"), std::string::npos) << phase;
}

TEST_F(Messages, CompareRefusesOptionsOfTheOtherJob) {
  write_npy(folder / "y.npy", {{2, 2, 2}, false, {1, 2, 3, 4, 5, 6, 7, 8}});
  for (const std::string option : {"shots 100", "bit-order qubit0-left", "label-order qubit0-left",
                                   "readout empty.json", "basis-pattern a", "bases empty.json"}) {
    expect("compare y.npy --" + option, 2,
           "--" + option.substr(0, option.find(' ')) +
               ": found diffraction patterns, expected counts or Pauli expectations");
  }
  expect("compare good.csv --support y.npy", 2,
         "--support: found counts or Pauli expectations, expected diffraction patterns");
  expect("compare y.npy . --methods auto", 2,
         "data: found 2 files or folders of intensities, expected one");
  EXPECT_NE(shell(folder.path(), "projfgd compare --help")
                .out.find("spectral, lanczos, random or a file"),
            std::string::npos);
}

TEST_F(Messages, SimulateNamesEveryStateItKnows) {
  expect("simulate counts --qubits 2 --state cat --out d", 2,
         "--state: found \"cat\", expected ghz, w, bell, phi-, psi+, psi-, plus, zero or "
         "random");
}

TEST_F(Messages, SimulateRefusesTheStarsOfAnImageThatHasNone) {
  for (const std::string image : {"four.npy", "phantom"}) {
    expect("simulate cdp --image " + image + " --lit 0.5 --out d", 2,
           "--lit: found the image " + image + ", expected stars");
  }
}

TEST_F(Messages, HelpSpeaksNoTypesOfTheParser) {
  for (const char* verb : {"tomography", "phase", "solve", "simulate pauli", "simulate counts",
                           "simulate cdp", "compare", "reproduce", "bench", "completion", "man"}) {
    const Outcome help = shell(folder.path(), std::string("projfgd ") + verb + " --help");
    EXPECT_EQ(help.code, 0) << verb;
    for (const char* word : {"TEXT", "FLOAT", "UINT", " INT", ":INT", "NONNEGATIVE", "REQUIRED"}) {
      EXPECT_EQ(help.out.find(word), std::string::npos) << verb << ": " << word;
    }
  }
}

TEST_F(Messages, HelpEndsWithTheExitCodes) {
  for (const char* verb : {"", "tomography", "phase", "solve", "simulate", "simulate pauli",
                           "compare", "reproduce", "bench", "completion", "man"}) {
    const std::string help = shell(folder.path(), std::string("projfgd ") + verb + " --help").out;
    EXPECT_NE(help.find("\nExit codes: 0 converged"), std::string::npos) << verb;
  }
}

TEST_F(Messages, HelpOfSolveNamesTheKeysOfADescription) {
  const std::string help = shell(folder.path(), "projfgd solve --help").out;
  for (const char* part : {"dimension, field", "operator (", "data, loss, constraint, rank, truth",
                           "docs/solve.md", "{\"dimension\": 5"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part;
  }
}

TEST_F(Messages, HelpShowsWhatMayComeSeveralTimes) {
  const std::string help = shell(folder.path(), "projfgd compare --help").out;
  EXPECT_NE(help.find("[OPTIONS] DATA...\n"), std::string::npos) << help;
  EXPECT_NE(help.find("--methods A,B,... "), std::string::npos) << help;
}

TEST_F(Messages, OnlyTomographyOffersToFindTheRank) {
  const auto offered = [this](const std::string& verb) {
    const std::string help = shell(folder.path(), "projfgd " + verb + " --help").out;
    return help.find("auto, a number, or full") != std::string::npos;
  };
  EXPECT_TRUE(offered("tomography"));
  EXPECT_FALSE(offered("solve"));
  EXPECT_FALSE(offered("phase"));
}

TEST_F(Messages, SimulateSaysWhatItWroteAndOnlyTheNoiseThatWasAskedFor) {
  const auto said = [this](const std::string& options) {
    return shell(folder.path(), "projfgd simulate cdp --size 6x5 --patterns 2 --out d" + options)
        .out;
  };
  const std::string plain = said("");
  for (const char* part : {"d/intensities.npy", "d/masks.npy", "d/truth.npy", "6 x 5"}) {
    EXPECT_NE(plain.find(part), std::string::npos) << plain;
  }
  EXPECT_EQ(plain.find("snr"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("photons"), std::string::npos) << plain;
  EXPECT_NE(said(" --snr 20").find("snr"), std::string::npos);
  EXPECT_NE(said(" --photons 100").find("photons"), std::string::npos);
}

TEST_F(Messages, SolveTellsTheMisfitAndCountsOneIteration) {
  const Outcome outcome = shell(folder.path(), "projfgd solve entries.csv --rank 1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("relative misfit"), std::string::npos) << outcome.out;
  const std::string one =
      shell(folder.path(), "projfgd solve entries.csv --rank 1 --init random --max-iterations 1")
          .out;
  EXPECT_NE(one.find("1 iteration\n"), std::string::npos) << one;
}

}  // namespace
}  // namespace projfgd::test
