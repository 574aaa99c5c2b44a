// Slips of the fingers: the program says what was probably meant.
#include <gmock/gmock.h>

#include "support/program.hpp"

namespace projfgd::test {
namespace {

using testing::HasSubstr;

class Guesses : public testing::Test {
 protected:
  Guesses() {
    folder.file("good.csv", "pauli,expectation\nXX,0.5\nYY,0.5\nZZ,1\n");
    folder.file("counts.json", R"({"X": {"0": 5, "1": 5}, "Y": {"0": 5, "1": 5}, "Z": {"0": 10}})");
    folder.file("entries.csv", "row,column,value\n0,0,1\n0,1,2\n1,1,4\n");
  }
  void expect(const std::string& command, int code, const std::string& sentence) const {
    expect_error(folder.path(), "projfgd " + command, code, "projfgd: " + sentence + "\n");
  }
  TemporaryFolder folder;
};

TEST_F(Guesses, CommandsAndOptionsAreGuessed) {
  const std::string all =
      "tomography, phase, solve, simulate, compare, reproduce, bench, completion, man";
  expect("tomografy good.csv", 2,
         "unknown command \"tomografy\" (did you mean tomography?), expected one of " + all +
             "; see projfgd --help");
  expect("draw", 2, "unknown command \"draw\", expected one of " + all + "; see projfgd --help");
  expect("--versoin", 2, "unknown option --versoin (did you mean --version?); see projfgd --help");
  for (const auto& [line, meant] : {
           std::pair{"solve entries.csv --rank 1 --constraint l1-bal:2", "l1-ball"},
           std::pair{"solve entries.csv --rank 1 --method projfdg", "projfgd"},
           std::pair{"tomography good.csv --target gzh", "ghz"},
           std::pair{"tomography good.csv --format paulis", "pauli"},
           std::pair{"reproduce table-ful", "table-full"},
           std::pair{"tomography good.csv --step atuo", "auto"},
           std::pair{"tomography good.csv --rank ful", "full"},
           std::pair{"tomography good.csv --errors bootstrp", "bootstrap"},
           std::pair{"tomography good.csv --device gup", "gpu"},
           std::pair{"tomography good.csv --init spectrl", "spectral"},
           std::pair{"tomography counts.json --loss poison", "poisson"},
           std::pair{"tomography good.csv --label-order qubit0-rigth", "qubit0-right"},
           std::pair{"compare good.csv --methods projfgd,rvsp", "rsvp"},
           std::pair{"simulate cdp --image satrs --size 8x8 --out d", "stars"},
       }) {
    const Outcome said = shell(folder.path(), std::string("projfgd ") + line);
    EXPECT_EQ(said.code, 2) << line;
    EXPECT_THAT(said.err, HasSubstr(std::string("(did you mean ") + meant + "?)"));
  }
  expect(
      "simulate count --qubits 2", 2,
      "simulate: unknown command \"count\" (did you mean counts?), expected one of pauli, counts, "
      "cdp, ptychography; see projfgd simulate --help");
  expect(
      "tomography good.csv --tolerence 1", 2,
      "tomography: unknown option --tolerence (did you mean --tolerance?); see projfgd tomography "
      "--help");
  expect("tomography", 2,
         "tomography DATA: found none, expected counts or Pauli expectations; see projfgd "
         "tomography --help");
  expect("solve entries.csv --out", 2,
         "solve --out: found no value, expected DIR after it; see projfgd solve --help");
}

TEST_F(Guesses, TheNameAloneAsksForHelp) {
  const Outcome said = shell(folder.path(), "projfgd");
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(said.out, shell(folder.path(), "projfgd --help").out);
}

}  // namespace
}  // namespace projfgd::test
