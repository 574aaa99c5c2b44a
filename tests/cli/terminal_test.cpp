// What the program shows on a terminal, which script(1) makes, and in a pipe.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "projfgd/io/files.hpp"
#include "projfgd/io/text.hpp"
#include "support/matrix_problem_files.hpp"
#include "support/program.hpp"

namespace projfgd {
namespace {

using test::Outcome;
using test::ProblemFiles;
using test::shell;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr const char* escape = "\x1b";

class Terminal : public testing::Test {
 protected:
  Terminal() { files.description(); }
  Outcome in_pipe(const std::string& command) const { return shell(files.folder.path(), command); }
  /// Standard output and standard error of a command on a terminal, as one stream.
  std::string on_terminal(const std::string& command) const {
    files.folder.file("command.sh", command);
    return shell(files.folder.path(), "script -qec 'stty cols 60; sh command.sh' /dev/null").out;
  }
  ProblemFiles<double> files{"dense"};
  const std::string quick = "projfgd solve problem.json";
  /// Long enough for the bar to be drawn.
  const std::string slow =
      "projfgd solve problem.json --step 1e-9 --tolerance 0 --time-limit 1 --max-iterations "
      "1000000000";
};

TEST_F(Terminal, ColoursAreForTerminals) {
  EXPECT_THAT(on_terminal(quick), HasSubstr("\x1b[32mconverged\x1b[0m"));
  EXPECT_THAT(on_terminal("NO_COLOR=1 " + quick + " 2>errors"), Not(HasSubstr(escape)));
  EXPECT_THAT(on_terminal(quick + " 2>errors | cat"), Not(HasSubstr(escape)));
  EXPECT_THAT(in_pipe(quick).out, Not(HasSubstr(escape)));
}

TEST_F(Terminal, HelpBreaksBetweenWordsBelowItsDescriptions) {
  std::istringstream lines(on_terminal("projfgd tomography --help"));
  for (std::string line; std::getline(lines, line);) {
    std::erase(line, '\r');
    EXPECT_LE(character_count(line), 60u) << line;
  }
  const std::string plain = in_pipe("projfgd tomography --help").out;
  EXPECT_THAT(plain, HasSubstr("Position of qubit 0 in a bit string: qubit0-right or"));
}

TEST_F(Terminal, MessagesBreakBetweenWordsOnATerminalAlone) {
  const std::string wrong = "projfgd solve problem.json --constraint cube";
  const std::string plain = in_pipe(wrong).err;
  EXPECT_EQ(std::ranges::count(plain, '\n'), 1) << plain;
  std::istringstream lines(on_terminal("NO_COLOR=1 " + wrong));
  std::string joined;
  for (std::string line; std::getline(lines, line);) {
    std::erase(line, '\r');
    EXPECT_LE(character_count(line), 60u) << line;
    if (!joined.empty()) joined += ' ';
    joined.append(line, line.find_first_not_of(' '));
  }
  EXPECT_EQ(joined + "\n", plain);
  EXPECT_THAT(on_terminal(wrong), StartsWith("\x1b[31mprojfgd: "));
}

TEST_F(Terminal, TheSummaryIsAShortAlignedTable) {
  const Outcome outcome = in_pipe(quick + " --out result");
  std::istringstream lines(outcome.out);
  std::size_t rows = 0, column = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    const std::size_t gap = line.find("  "), value = line.find_first_not_of(' ', gap);
    if (rows == 0) column = value;
    EXPECT_EQ(value, column) << outcome.out;
    EXPECT_LE(character_count(line), 90u) << line;
  }
  EXPECT_THAT(outcome.out, StartsWith("relative error "));  // the answer first
  EXPECT_THAT(outcome.out, HasSubstr("\nstatus "));
  EXPECT_THAT(outcome.out, HasSubstr("result/report.html\n"));
  EXPECT_LE(rows, 12u);
}

TEST_F(Terminal, TheBarTellsIterationObjectiveRateAndTimeLeftInOneLine) {
  EXPECT_THAT(on_terminal("stty cols 200; " + slow),
              MatchesRegex("(.|\n)*\\[#* *\\] iteration [0-9]+  objective [0-9.e+-]+  "
                           "[0-9.e+]+/s  [0-9]+ m?s left\r\x1b\\[K(.|\n)*"));
  const std::string narrow = on_terminal(slow);
  std::istringstream parts(narrow);
  for (std::string part; std::getline(parts, part, '\r');) {
    if (!part.starts_with("\x1b[K[")) continue;
    EXPECT_LT(part.size() - 3, 60u) << part;
  }
  EXPECT_THAT(narrow, HasSubstr("\r\x1b[Krelative error "));  // its last act is to wipe itself
}

TEST_F(Terminal, PhaseRetrievalTellsItsStagesFromTheFirstSecond) {
  in_pipe("projfgd simulate cdp --image stars --size 64x64 --patterns 2 --seed 1 --out data");
  const std::string shown =
      on_terminal("stty cols 200; projfgd phase data --tolerance 0 --time-limit 1");
  EXPECT_THAT(shown, StartsWith("\r\x1b[Kreading the data"));
  // Which stage is long enough to be drawn depends on the machine.
  EXPECT_THAT(shown, ContainsRegex("(reflections|block passes|full steps): iteration "));
  const std::size_t end = std::min(shown.find("projfgd"), shown.find("status "));
  for (const char* nothing : {"nan", " 0/s", "inf", " left"}) {
    EXPECT_GE(shown.find(nothing), end) << nothing;
  }
}

TEST_F(Terminal, QuietAndPipesHaveNoBar) {
  EXPECT_EQ(on_terminal(slow + " --quiet"), "");
  EXPECT_EQ(in_pipe(slow).err, "");
}

TEST_F(Terminal, JsonStaysCleanBesideTheBar) {
  EXPECT_THAT(on_terminal(slow + " --json >summary"), HasSubstr("iteration "));
  const std::string text = read_file(files.folder / "summary");
  EXPECT_EQ(parse_json(text, "summary")["status"], "time_limit");
  EXPECT_THAT(text, Not(HasSubstr(escape)));
}

}  // namespace
}  // namespace projfgd
