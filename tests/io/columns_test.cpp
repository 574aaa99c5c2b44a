// Tables and rows under the names that people give their columns, and those that nobody reads.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projfgd/core/error.hpp"
#include "projfgd/io/measurements.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <class Data>
Data parse(const std::string& text, const MeasurementFormat& format = {}) {
  return std::get<Data>(parse_measurements({{"a", text}}, format));
}

TEST(Columns, StandardErrorsAreKnownByTheirUsualNames) {
  for (const std::string name :
       {"stderr", "error", "sigma", "standard_error", "std", "stds", "stdev", "err", "errors", "se",
        "std_err", "stderror", "uncertainty", "Std", "STDERR", "standard error", "Std-Err"}) {
    const std::string csv = fmt::format("pauli,expectation,{}\nX,0.5,0.1\nZ,0.2,0.3\n", name);
    const std::string json = fmt::format(
        R"([{{"pauli": "X", "expectation": 0.5, "{0}": 0.1}}, {{"pauli": "Z", "expectation": 0.2, "{0}": 0.3}}])",
        name);
    for (const std::string& text : {csv, json}) {
      const auto data = parse<PauliData>(text);
      EXPECT_EQ(data.errors, (Vector<double>(2) << 0.1, 0.3).finished()) << text;
      EXPECT_THAT(data.notes, IsEmpty()) << text;
    }
  }
}

TEST(Columns, WhatIsNotReadIsNamed) {
  const auto one = parse<PauliData>("pauli,expectation,variance\nX,0.5,0.1\n");
  EXPECT_EQ(one.errors.size(), 0);
  EXPECT_THAT(
      one.notes,
      ElementsAre("a: the column \"variance\" was ignored; known columns are pauli, expectation, "
                  "stderr"));
  const auto two = parse<PauliData>(
      R"([{"Pauli": "X", "Mean": 0.5, "stderr": 0.1, "std": 0.3}, {"pauli": "Z", "mean": 0.1, "stderr": 0.2, "note": 1}])");
  EXPECT_EQ(two.errors, (Vector<double>(2) << 0.1, 0.2).finished());
  EXPECT_THAT(two.notes,
              ElementsAre("a: the columns \"note\", \"std\" were ignored; known columns are pauli, "
                          "expectation, stderr"));
  // pandas writes the numbers of the rows in a column without a name
  EXPECT_THAT(parse<PauliData>(",pauli,expectation\n0,X,0.5\n").notes, IsEmpty());
  EXPECT_THAT(
      parse<CountsData>("index,basis,outcome,count\n0,X,0,5\n1,X,1,4\n").notes,
      ElementsAre("a: the column \"index\" was ignored; known columns are basis, outcome, count"));
}

TEST(Columns, CountsAreKnownByTheirUsualNames) {
  const auto expected = parse<CountsData>("basis,outcome,count\nXZ,00,5\nXZ,10,4\n");
  for (
      const std::string text :
      {"Setting,BitString,Counts\nXZ,00,5\nXZ,10,4\n",
       R"([{"setting": "XZ", "bitstring": "00", "counts": 5}, {"setting": "XZ", "bitstring": "10", "counts": 4}])"}) {
    const auto data = parse<CountsData>(text);
    EXPECT_EQ(data.counts, expected.counts);
    EXPECT_EQ(data.settings, expected.settings);
    EXPECT_THAT(data.notes, IsEmpty());
  }
}

TEST(Columns, ASpreadsheetHasAColumnForEachOutcome) {
  const auto expected = parse<CountsData>(
      R"({"XX": {"00": 450, "01": 38, "10": 40, "11": 472}, "ZY": {"01": 5, "11": 7}})");
  for (const std::string text :
       {"basis,00,01,10,11\nXX,450,38,40,472\nZY,,5,0,7\n",
        // as European spreadsheets write it: other separators, line ends and empty rows at the end
        "\xEF\xBB\xBF"
        "Setting;00;01;10;11\r\nXX;450;38;40;472\r\nZY;0;5;;7\r\n;;;;\r\n;;;;\r\n",
        // numbers have lost their leading zeros; the order of the columns is free
        "what I measured,11,10,1,0\nXX,472,40,38,450\nzy,7,0,5,0\n",
        "basis,|00>,|01>,|10>,|11>\nX-X,450,38,40,472\nZ-Y,0,5,0,7\n",
        ",01,11,10,00\nXX,38,472,40,450\nZY,5,7,0,0\n",
        // a row for each outcome and a column for each setting
        "outcome,XX,ZY\n00,450,\n01,38,5\n10,40,0\n11,472,7\n"}) {
    const auto data = parse<CountsData>(text);
    EXPECT_EQ(data.counts, expected.counts) << text;
    EXPECT_EQ(data.settings, expected.settings) << text;
    EXPECT_THAT(data.notes, IsEmpty()) << text;
  }
  EXPECT_THAT(parse<CountsData>("day,basis,0,1,total\nMonday,X,450,550,1000\n").notes,
              ElementsAre("a: the columns \"day\", \"total\" were ignored; expected outcomes such "
                          "as 01"));
}

TEST(Columns, ASpreadsheetSaysWhereItIsWrong) {
  EXPECT_THROWS_WITH(parse<CountsData>("basis,00,01,10,11\nXX,450,38,forty,472\n"), InputError,
                     "a: line 2: 10: found \"forty\", expected a finite number");
  EXPECT_THROWS_WITH(parse<CountsData>("basis,00,01,10,11\nXXX,450,38,40,472\n"), InputError,
                     "a: line 2: found outcome \"00\"");
  EXPECT_THROWS_WITH(parse<CountsData>("basis,00,01\nXX,450,38\nXQ,450,38\n"), InputError,
                     "a: line 3: found letter 'Q' in label \"XQ\"");
  // Rows without a header are not a table of their own.
  EXPECT_THROWS_WITH(parse<CountsData>("XX,00,11\nXX,01,10\n"), InputError, "expected one such as");
  EXPECT_THROWS_WITH(parse<CountsData>("XX,00,450\nXX,01,38\n"), InputError,
                     "expected a header such as");
}

TEST(Columns, AColumnThatIsMissingIsNamedBesideThoseFound) {
  EXPECT_THROWS_WITH(parse<CountsData>("basis,outcome,shots\nX,0,5\n"), InputError,
                     "found the header \"basis,outcome,shots\" without a column \"count\", "
                     "expected one such as basis,outcome,count");
  EXPECT_THROWS_WITH(parse<CountsData>("basis,bits,count\nX,0,5\n"), InputError,
                     "without a column \"outcome\", expected one such as basis,outcome,count");
  EXPECT_THROWS_WITH(
      parse<CountsData>(R"([{"basis": "X", "bits": "0", "shots": 5}])"), InputError,
      "a: [0]: found no outcome but \"bits\", \"shots\", expected the key \"outcome\"");
  EXPECT_THROWS_WITH(parse<PauliData>("string,number\nX,0.5\n"), InputError,
                     "found the header \"string,number\" without a column \"pauli\", expected one "
                     "such as pauli,expectation or basis,outcome,count");
  EXPECT_THROWS_WITH(parse<PauliData>(R"([{"pauli": "X", "number": 0.5}])"), InputError,
                     "a: [0]: found no expectation but \"number\", expected the key "
                     "\"expectation\"");
}

}  // namespace
}  // namespace projfgd
