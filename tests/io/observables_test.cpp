// Lists of observables, as users write them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/io/measurements.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

TEST(Observables, AreLinesOrAList) {
  EXPECT_EQ(parse_observables({"o.txt", "XX\nZZ\n"}), (std::vector<std::string>{"XX", "ZZ"}));
  EXPECT_EQ(parse_observables({"o.txt", "XX\nZZ"}), (std::vector<std::string>{"XX", "ZZ"}));
  EXPECT_THROWS_WITH(parse_observables({"o.txt", "\n"}), InputError, "Pauli strings, one per line");
  EXPECT_EQ(parse_observables({"o.json", R"(["XX", "IZ"])"}),
            (std::vector<std::string>{"XX", "IZ"}));
  EXPECT_EQ(parse_observables({"o.csv", "pauli,expectation\nXX,0.5\n"}),
            (std::vector<std::string>{"XX"}));
}

TEST(Observables, AreReadFromAnyPauliFile) {
  const std::vector<std::string> both{"XX", "IZ"};
  for (const char* name : {"pauli", "Label", "operator", "observable"}) {
    const std::string key = name;
    EXPECT_EQ(parse_observables({"o.csv", key + ",value\nXX,0.5\nIZ,0\n"}, 2), both) << key;
    EXPECT_EQ(parse_observables({"o.csv", "value;" + key + "\n0.5;XX\n0;iz\n"}, 2), both) << key;
    EXPECT_EQ(parse_observables({"o.txt", "# two\n" + key + "\nXX\nIZ\n"}, 2), both) << key;
  }
  for (const char* key : {"pauli", "label", "operator", "observable"}) {
    const Json list = {{{key, "XX"}, {"expectation", 0.5}}, {{key, "IZ"}}};
    EXPECT_EQ(parse_observables({"o.json", list.dump()}, 2), both) << key;
  }
  EXPECT_EQ(parse_observables({"o.json", R"({"XX": [0.5, 0.01], "IZ": 0})"}, 2), both);
}

TEST(Observables, AWrongOneIsNamedWithItsPlace) {
  const auto said = [](const std::string& name, const std::string& bytes) -> std::string {
    try {
      parse_observables({name, bytes}, 2);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said("o.txt", "XX\n\nZQ\n"),
            "o.txt: found \"ZQ\" in row 2, expected 2 letters I, X, Y or Z");
  EXPECT_EQ(said("o.csv", "n,label\n1,XX\n2,XXX\n"),
            "o.csv: found \"XXX\" in row 2, expected 2 letters I, X, Y or Z");
  EXPECT_EQ(said("o.json", R"(["XX", "Z"])"),
            "o.json: found \"Z\" in [1], expected 2 letters I, X, Y or Z");
  EXPECT_EQ(said("o.json", R"([{"label": "XX"}, {"value": 1}])"),
            "o.json: [1]: found no label, expected the key \"pauli\"");
  EXPECT_EQ(said("o.json", R"(["XX", 5])"), "o.json: [1]: found 5, expected a Pauli label");
  EXPECT_THROW(parse_observables({"o.json", R"(["XX", "XXX"])"}), InputError);
}

}  // namespace
}  // namespace projfgd
