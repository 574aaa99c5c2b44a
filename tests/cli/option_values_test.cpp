// Values that the parser of the command line would take for others: numbers too large for their
// type, leading zeros, empty names; and results that have no place.
#include "projfgd/io/json.hpp"
#include "projfgd/io/npy.hpp"
#include "support/program.hpp"

namespace projfgd::test {
namespace {

class OptionValues : public testing::Test {
 protected:
  OptionValues() {
    folder.file("good.csv", "pauli,expectation\nXX,0.5\nYY,0.5\nZZ,1\n");
    folder.file("entries.csv", "row,column,value\n0,0,1\n0,1,2\n1,1,4\n");
    write_npy(folder / "four.npy", {{4}, false, {1, 2, 3, 4}});
  }

  void expect(const std::string& command, int code, const std::string& sentence) const {
    expect_error(folder.path(), "projfgd " + command, code, "projfgd: " + sentence + "\n");
  }
  /// Of an option of a verb.
  void expect_option(const std::string& verb, const std::string& arguments,
                     const std::string& option, const std::string& value,
                     const std::string& expected) const {
    expect(verb + " " + arguments + " " + option + " '" + value + "'", 2,
           verb + " " + option + ": found \"" + value + "\", expected " + expected +
               "; see projfgd " + verb + " --help");
  }

  TemporaryFolder folder;
};

TEST_F(OptionValues, IntegersTooLargeForTheirTypeAreRefused) {
  const std::string int_range = "an integer up to 2147483647",
                    long_range = "an integer up to 9223372036854775807",
                    seeds = "0 to 18446744073709551615";
  for (const std::string verb : {"solve", "tomography", "phase", "compare"}) {
    expect_option(verb, "x", "--seed", "18446744073709551616", seeds);
    expect_option(verb, "x", "--max-iterations", "9223372036854775808", "0 to 9223372036854775807");
    expect_option(verb, "x", "--threads", "99999999999999999999", "0 to 4096");
  }
  for (const std::string verb : {"reproduce", "bench"}) {
    expect_option(verb, "", "--seed", "18446744073709551616", seeds);
  }
  expect_option("simulate pauli", "--out d", "--qubits", "4294967298", int_range);
  expect_option("simulate pauli", "--qubits 2 --out d", "--rank", "9223372036854775808",
                long_range);
  expect_option("simulate counts", "--qubits 2 --out d", "--shots", "9223372036854775808",
                long_range);
  expect_option("simulate cdp", "--size 8x8 --out d", "--patterns", "18446744073709551617",
                long_range);
  expect("reproduce table-full --qubits 6,4294967302", 2,
         "reproduce --qubits: found \"4294967302\", expected " + int_range +
             "; see projfgd reproduce --help");
  for (const std::string text : {"1.5", "1e3", "abc", ""}) {
    expect_option("solve", "x", "--max-iterations", text, "an integer");
    expect_option("solve", "x", "--seed", text, "an integer >= 0");
  }
}

TEST_F(OptionValues, IntegersAreDecimal) {
  const auto seed = [this](const std::string& text) {
    return parse_json(
        shell(folder.path(), "projfgd solve entries.csv --rank 1 --json --seed " + text).out,
        "stdout")["seed"];
  };
  EXPECT_EQ(seed("010"), 10);
  EXPECT_EQ(seed("18446744073709551615"), 18446744073709551615U);
}

// An option of a script whose variable is empty; a number beyond the largest.
TEST_F(OptionValues, NumbersAreFiniteAndNeverEmpty) {
  for (const std::string text : {"", " ", "0x1p-3", "1e400", "inf", "nan", "1,5", "1e", "1_0"}) {
    for (const std::string option : {"--tolerance", "--time-limit"}) {
      expect_option("solve", "x", option, text, "a number");
    }
    expect_option("phase", "x", "--target-error", text, "a number");
    for (const std::string option : {"--lit", "--snr", "--photons"}) {
      expect_option("simulate cdp", "--out d", option, text, "a number");
    }
    for (const std::string option : {"--delay", "--overlap", "--photons"}) {
      expect_option("simulate ptychography", "--out d", option, text, "a number");
    }
    for (const std::string option : {"--csam", "--noise-norm"}) {
      expect_option("simulate pauli", "--qubits 2 --out d", option, text, "a number");
    }
    for (const std::string option :
         {"--depolarizing", "--readout-error", "--drift", "--accidentals"}) {
      expect_option("simulate counts", "--qubits 2 --out d", option, text, "a number");
    }
  }
  expect_option("reproduce", "", "--csam", "1e400", "a number");
}

TEST_F(OptionValues, EmptyNamesOfFilesAreRefused) {
  const std::string expected = "the name of a file";
  for (const std::string option : {"--init", "--truth"}) {
    expect_option("solve", "entries.csv --rank 1", option, "", expected);
  }
  for (const std::string option :
       {"--masks", "--mask-values", "--vectors", "--support", "--init", "--truth"}) {
    expect_option("phase", "four.npy", option, "", expected);
  }
  for (const std::string option :
       {"--readout", "--bases", "--target", "--observables", "--truth"}) {
    expect_option("tomography", "good.csv", option, "", expected);
  }
  expect_option("simulate cdp", "--out d", "--image", "", expected);
  expect_option("bench", "--quick", "--compare", "", expected);
  expect_option("bench", "--quick", "--out", "", "the name of a folder");
  expect_option("tomography", "", "DATA", "", expected);
}

TEST_F(OptionValues, NothingIsNoValueOfAnyOption) {
  expect_option("tomography", "good.csv", "--basis-pattern", "", "REGEX");
  expect_option("phase", "four.npy", "--dataset", "", "PATH");
  expect_option("simulate counts", "--qubits 2 --out d", "--mix", "", "LIST");
  expect_option("simulate counts", "--qubits 2 --out d", "--projectors", "", "SET");
  expect_option("reproduce", "", "--samples", "", "NAME");
}

TEST_F(OptionValues, EmptyNamesInADescriptionAreRefused) {
  const auto refused = [this](const std::string& key, const std::string& keys) {
    folder.file("p.json", R"({"dimension": 2, "rank": 1, )" + keys + "}");
    expect("solve p.json", 2, "p.json: \"" + key + "\": found \"\", expected the name of a file");
  };
  const std::string entries = R"("operator": {"type": "entries", "file": "entries.csv"}, )";
  refused("data", R"("operator": {"type": "identity"}, "data": "")");
  refused("truth", entries + R"("truth": "")");
  refused("mask", entries + R"("constraint": {"type": "support", "mask": ""})");
  refused("file", R"("operator": {"type": "entries", "file": ""})");
  refused("places", R"("operator": {"type": "entries", "places": ""}, "data": "four.npy")");
  refused("matrices", R"("operator": {"type": "dense", "matrices": ""}, "data": "four.npy")");
  refused("vectors", R"("operator": {"type": "rank-one", "vectors": ""}, "data": "four.npy")");
}

TEST_F(OptionValues, IntegersOfADescriptionAreNotCut) {
  for (const std::string key : {"dimension", "rank"}) {
    const auto refused = [&](const std::string& value, const std::string& sentence) {
      const std::string dimension = key == "rank" ? R"("dimension": 2, )" : "";
      folder.file("p.json", "{" + dimension + "\"" + key + "\": " + value +
                                R"(, "operator": {"type": "entries", "file": "entries.csv"}})");
      expect("solve p.json", 2, "p.json: \"" + key + "\": found " + sentence);
    };
    refused("1.5", "1.5, expected an integer");
    refused("1e30", "1e+30, expected an integer");
    refused("18446744073709551616", "1.8446744073709552e+19, expected an integer");
    for (const std::string large : {"18446744073709551615", "9223372036854775808"}) {
      refused(large, large + ", expected an integer up to 9223372036854775807");
    }
    refused("-1", key == "rank" ? "-1, expected an integer from 1 to the dimension 2"
                                : "-1, expected 1 to 2147483647");
  }
}

TEST_F(OptionValues, AFolderInThePlaceOfAResultIsSaidBeforeTheDataAreRead) {
  const auto refused = [this](const std::string& verb, const std::string& file) {
    const TemporaryFolder results;
    std::filesystem::create_directories(results / file);
    const std::string out = results.path().string();
    expect(verb + " nosuch --out '" + out + "'", 3,
           out + "/" + file + ": found a folder, expected a file or a new name");
    EXPECT_TRUE(std::filesystem::is_empty(results / file));
  };
  for (const std::string verb : {"solve", "tomography", "phase"}) {
    for (const char* file : {"summary.json", "report.html", "trace.csv", "factor.npy"}) {
      refused(verb, file);
    }
  }
  refused("phase", "signal.npy");
  refused("phase", "image.png");
  for (const char* file : {"compare.json", "report.html", "compare.csv", "trace-projfgd.csv"}) {
    refused("compare", file);
  }
}

}  // namespace
}  // namespace projfgd::test
