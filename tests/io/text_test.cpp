#include "projfgd/io/text.hpp"

#include <cmath>

#include "projfgd/core/error.hpp"
#include "projfgd/io/entries.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/io/utf8.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

TEST(Text, NumbersAreReadWholeOrNotAtAll) {
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number(" +2e3 "), 2000);
  EXPECT_EQ(parse_number("5e-324"), 5e-324);
  for (const char* bad : {"", " ", "1,5", "1.5x", "nan", "inf", "1e999", "0x10", "+-1", "1 2"}) {
    EXPECT_TRUE(std::isnan(parse_number(bad))) << bad;
  }
}

TEST(Text, QuotesArePrintable) {
  EXPECT_EQ(quote("XY\xD0\x96"), "\"XY\xD0\x96\"");
  EXPECT_EQ(quote("\x93NU"), "\"\\x93NU\"");
  EXPECT_EQ(quote("a\n\x1B\x7F"), "\"a\\x0a\\x1b\\x7f\"");
  EXPECT_EQ(quote("\xC2\x9B\xC2\xA0"), "\"\\xc2\\x9b\xC2\xA0\"");  // the first is a control
  // A longer form of '/', a surrogate, a code beyond the last, a character without its end.
  EXPECT_EQ(quote("\xE0\x80\xAF"), "\"\\xe0\\x80\\xaf\"");
  EXPECT_EQ(quote("\xED\xA0\x80"), "\"\\xed\\xa0\\x80\"");
  EXPECT_EQ(quote("\xF4\x90\x80\x80"), "\"\\xf4\\x90\\x80\\x80\"");
  EXPECT_EQ(quote("\xE2\x82"), "\"\\xe2\\x82\"");
  // No character is cut in two.
  EXPECT_EQ(quote(std::string(39, 'a') + "\xD0\x96"), "\"" + std::string(39, 'a') + "...\"");
}

TEST(Csv, LineEndsBomAndQuotes) {
  CsvReader table(
      "\xEF\xBB\xBF"
      "a,b\r\n\r\n# note\r\n1 , \"2\"\r\n3,4\r\n",
      "t.csv", "a,b");
  const Index a = table.required_column("a"), b = table.required_column("b");
  EXPECT_EQ(table.column("c"), -1);
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.number(a), 1);
  EXPECT_EQ(table.integer(b), 2);
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.number(b), 4);
  EXPECT_FALSE(table.next());
  EXPECT_EQ(table.rows(), 2);
}

void read_all(const std::string& text) {
  CsvReader table(text, "t.csv", "a,b");
  const Index a = table.required_column("a");
  while (table.next()) table.number(a);
}

TEST(Csv, ErrorsNameFileAndLine) {
  EXPECT_THROWS_WITH(read_all("a,b\n1,2\n1,5,2\n"), InputError, "t.csv: line 3");
  EXPECT_THROWS_WITH(read_all("a\n1\nnan\n"), InputError, "line 3");
  EXPECT_THROWS_WITH(read_all("a\n1\n1e308\n"), InputError, "line 3");
  EXPECT_THROWS_WITH(read_all("b\n1\n"), InputError, "\"a\"");
  EXPECT_THROWS_WITH(read_all("a,a\n1,2\n"), InputError, "twice");
  EXPECT_THROWS_WITH(read_all(""), InputError, "empty");
  EXPECT_THROWS_WITH(read_all("a\n1\n2"), InputError,
                     "line 3: found \"2\" and the end of the file");
}

TEST(Csv, APromiseOfRowsIsKept) {
  EXPECT_NO_THROW(read_all("# rows: 2\na\n1\n2\n"));
  EXPECT_THROWS_WITH(read_all("# rows: 3\na\n1\n2\n"), InputError, "found 2 rows, expected the 3 ");
  EXPECT_THROWS_WITH(read_all("# rows: -1\na\n1\n"), InputError, "expected an integer >= 0");
}

TEST(MatrixMarket, RealSymmetricAndComplexHermitian) {
  const KnownEntries real = parse_matrix_market(
      "%%MatrixMarket matrix coordinate real symmetric\n% note\n3 3 2\n1 1 2.5\n3 1 -1\n", "m");
  EXPECT_EQ(real.dimension, 3);
  EXPECT_FALSE(real.complex);
  ASSERT_EQ(real.entries.size(), 2U);
  EXPECT_EQ(real.entries[1].row, 2);
  EXPECT_EQ(real.entries[1].column, 0);
  EXPECT_EQ(real.entries[1].real, -1);
  const KnownEntries complex = parse_matrix_market(
      "%%MatrixMarket matrix coordinate complex Hermitian\n2 2 1\n2 1 3 -4\n", "m");
  EXPECT_TRUE(complex.complex);
  EXPECT_EQ(complex.entries[0].imaginary, -4);
}

TEST(MatrixMarket, WhatCannotBeReadIsRefused) {
  const std::string banner = "%%MatrixMarket matrix coordinate real symmetric\n";
  for (const std::string text : {"", "hello\n", "%%MatrixMarket matrix array real general\n",
                                 "%%MatrixMarket matrix coordinate pattern symmetric\n",
                                 "%%MatrixMarket matrix coordinate complex symmetric\n",
                                 "%%MatrixMarket matrix coordinate real skew-symmetric\n"}) {
    EXPECT_THROW(parse_matrix_market(text, "m"), InputError) << text;
  }
  for (const std::string body :
       {"2 3 1\n1 1 1\n", "2 2\n", "2 2 1\n0 1 1\n", "2 2 1\n3 1 1\n", "2 2 1\n1 1 nan\n",
        "2 2 1\n1 1\n", "2 2 2\n1 1 1\n", "2 2 99999999999\n1 1 1\n", "2 2 -1\n", "0 0 0\n",
        "99999999999 99999999999 1\n1 1 1\n"}) {
    EXPECT_THROW(parse_matrix_market(banner + body, "m"), InputError) << body;
  }
}

TEST(MatrixMarket, CutAnywhereIsRefused) {
  const std::string whole =
      "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2.5\n3 1 -1\n2 2 0.125\n";
  EXPECT_NO_THROW(parse_matrix_market(whole, "m"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(parse_matrix_market(whole.substr(0, length), "m"), InputError) << length;
  }
}

TEST(EntriesCsv, CountsFromZero) {
  const KnownEntries known = parse_entries_csv("row,column,value,imaginary\n0,2,1,-1\n", "e");
  EXPECT_EQ(known.dimension, 3);
  EXPECT_TRUE(known.complex);
  EXPECT_EQ(known.entries[0].imaginary, -1);
  EXPECT_THROWS_WITH(parse_entries_csv("row,column,value\n-1,0,1\n", "e"), InputError, "line 2");
  EXPECT_THROWS_WITH(parse_entries_csv("row,column,value\n", "e"), InputError,
                     "found no row, expected at least one entry");
  EXPECT_THROW(parse_entries_csv("row,column,value\n0,0.5,1\n", "e"), InputError);
}

TEST(Json, ErrorsNameThePlace) {
  EXPECT_THROWS_WITH(parse_json("{\n \"a\": }", "p.json"), InputError, "p.json: line 2, column 7");
  EXPECT_THROWS_WITH(parse_json("", "p.json"), InputError,
                     "p.json: found an empty file, expected JSON");
  EXPECT_THROWS_WITH(
      parse_json("{\"a\": 1e999}", "p.json"), InputError,
      "found \"1e999\", too large for double precision, expected numbers below 1.8e308");
  EXPECT_THROWS_WITH(parse_json("{\"a\": 1, \"b\": {\"a\": 1}, \"a\": 2}", "p.json"), InputError,
                     "found the key \"a\" twice in the same object");
  EXPECT_EQ(parse_json("\xEF\xBB\xBF[{\"a\": 1}, {\"a\": 2}]", "p.json").size(), 2U);
}

TEST(Json, ErrorsShowTheOffendingToken) {
  const auto found = [](const std::string& text, const std::string& sentence) {
    EXPECT_THROWS_WITH(parse_json(text, "p.json"), InputError,
                       "p.json: " + sentence + ", expected valid JSON");
  };
  found("{\"a\": NaN,\n  \"b\": 463}", "line 1, column 7: found \"NaN\"");
  found("{\"a\": 1}\ntrailing\n", "line 2, column 1: found \"trailing\"");
  found("{\"a\": 012}", "line 1, column 7: found \"012\"");
  found("{\"a\" \"b\": 1}", "line 1, column 6: found \"\"b\"\"");
  found("{\"a: 1,\n\"b\": 2}", "line 1, column 2: found \"\"a: 1,\"");
  found("{\"\xD0\x96\": \xD0\x96}", "line 1, column 7: found \"\xD0\x96\"");
  found("[1,]", "line 1, column 4: found \"]\"");
}

// Looking through all keys for each that comes would take minutes.
TEST(Json, ManyKeysAreRead) {
  constexpr int count = 300'000;
  std::string text = "{";
  for (int k = 0; k < count; ++k) text += (k > 0 ? ",\"" : "\"") + std::to_string(k) + "\":[1]";
  const Json json = parse_json(text + "}", "memory");
  EXPECT_EQ(json.size(), count);
  EXPECT_EQ(json["7"], Json::array({1}));
  EXPECT_THROW(parse_json(text + ",\"7\":1}", "memory"), InputError);
}

TEST(Json, DeepNestingIsRefused) {
  const std::string open(100000, '['), close(100000, ']');
  EXPECT_THROWS_WITH(parse_json(open + close, "p.json"), InputError, "nested");
  EXPECT_THROW(parse_json(open, "p.json"), InputError);
  std::string objects;
  for (int k = 0; k < 100000; ++k) objects += "{\"a\":";
  EXPECT_THROWS_WITH(parse_json(objects, "p.json"), InputError, "nested");
}

TEST(Json, NotFiniteIsWrittenAsNull) {
  EXPECT_EQ(json_text({{"z", NAN}, {"a", INFINITY}, {"x", 0.1}}),
            "{\n  \"z\": null,\n  \"a\": null,\n  \"x\": 0.1\n}\n");
}

TEST(Json, KeysOfAnotherTypeAreNamed) {
  const Json object = {{"n", 1.5}, {"s", "x"}};
  EXPECT_THROWS_WITH(require_integer(object, "n", "p"), InputError,
                     "found 1.5, expected an integer");
  EXPECT_THROWS_WITH(require_number(object, "s", "p"), InputError, "\"s\"");
  EXPECT_THROWS_WITH(require_string(object, "n", "p"), InputError, "a string");
  EXPECT_THROWS_WITH(require_key(object, "q", "p"), InputError,
                     "found an object with the keys \"n, s\", expected the key \"q\"");
  EXPECT_THROWS_WITH(allow_keys(object, {"n"}, "p"), InputError,
                     "found the key \"s\", expected one of n");
}

// A label of three million letters is no sentence.
TEST(Printable, LongTextsLoseTheirMiddle) {
  for (const std::string_view piece : {"X", "X ", "\xC3\xA9", "\xE2\x82\xAC", "\x80", "\n"}) {
    std::string text = "data.json: found ";
    while (text.size() < 3'000'000) text += piece;
    const std::string shown = printable(text + ", expected fewer qubits");
    EXPECT_LT(shown.size(), 17'000) << piece;  // an escape takes four
    EXPECT_TRUE(shown.starts_with("data.json: found ")) << piece;
    EXPECT_TRUE(shown.ends_with(", expected fewer qubits")) << piece;
    EXPECT_EQ(shown.find("\\x") != std::string::npos, piece == "\x80" || piece == "\n") << piece;
  }
  EXPECT_EQ(printable(std::string(4000, 'X')), std::string(4000, 'X'));
}

}  // namespace
}  // namespace projfgd
