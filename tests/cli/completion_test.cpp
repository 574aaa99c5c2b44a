// What is made from the help: completion scripts, run in the shells they are for, and the man page.
#include <gmock/gmock.h>

#include <sstream>

#include "projfgd/core/version.hpp"
#include "support/program.hpp"

namespace projfgd {
namespace {

using test::Outcome;
using test::shell;
using test::TemporaryFolder;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) found.push_back(line);
  return found;
}

bool installed(const std::string& program) {
  const TemporaryFolder folder;
  return shell(folder.path(), "command -v " + program).code == 0;
}

/// What bash offers for the last of the words; "<files>" when it is told to offer files as well.
std::vector<std::string> bash_offers(const std::string& words) {
  const TemporaryFolder folder;
  folder.file("ask.bash",
              "source <(projfgd completion bash)\n"
              "compopt() { [[ $* == '-o default' ]] && echo '<files>'; }\n"
              "COMP_WORDS=(" +
                  words +
                  ")\n"
                  "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                  "_projfgd\n"
                  "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const Outcome outcome = shell(folder.path(), "bash -u ask.bash");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << words;
  std::vector<std::string> offers = lines(outcome.out);
  std::erase(offers, "");
  return offers;
}

TEST(Completion, BashOffersCommandsOptionsValuesAndFiles) {
  EXPECT_THAT(bash_offers("projfgd tomo"), ElementsAre("tomography"));
  EXPECT_THAT(bash_offers("projfgd ''"),
              AllOf(IsSupersetOf({"tomography", "phase", "solve", "simulate", "bench"}),
                    Not(Contains("--help"))));
  EXPECT_THAT(bash_offers("projfgd simulate c"), ElementsAre("counts", "cdp"));
  EXPECT_THAT(bash_offers("projfgd --ver"), ElementsAre("--version"));
  EXPECT_THAT(bash_offers("projfgd tomography a.json --lo"), ElementsAre("<files>", "--loss"));
  EXPECT_THAT(bash_offers("projfgd tomography ''"), ElementsAre("<files>"));
  EXPECT_THAT(bash_offers("projfgd tomography --loss ''"),
              ElementsAre("auto", "poisson", "least-squares", "weighted"));
  EXPECT_THAT(bash_offers("projfgd tomography --loss = po"), ElementsAre("poisson"));
  EXPECT_THAT(bash_offers("projfgd phase --loss = "), Contains("intensity"));
  EXPECT_THAT(bash_offers("projfgd phase --method hi"), ElementsAre("hio"));
  EXPECT_THAT(bash_offers("projfgd solve --constraint nonneg"),
              ElementsAre("nonnegative", "nonnegative-l1"));
  EXPECT_THAT(bash_offers("projfgd tomography --target g"), ElementsAre("<files>", "ghz"));
  EXPECT_THAT(bash_offers("projfgd tomography --rank ''"), ElementsAre("auto", "full"));
  EXPECT_THAT(bash_offers("projfgd tomography --seed ''"), IsEmpty());
  EXPECT_THAT(bash_offers("projfgd simulate cdp ''"), Contains("--patterns"));
  EXPECT_THAT(bash_offers("projfgd completion z"), ElementsAre("zsh"));
}

TEST(Completion, OffersEveryWordWhateverTheHelpSays) {
  EXPECT_THAT(bash_offers("projfgd reproduce --samples ''"), ElementsAre("paper", "linear", "log"));
  EXPECT_THAT(bash_offers("projfgd simulate counts --settings ''"), ElementsAre("all"));
  EXPECT_THAT(bash_offers("projfgd solve --rank ''"), IsEmpty());
  EXPECT_THAT(bash_offers("projfgd phase --init ''"),
              ElementsAre("<files>", "spectral", "lanczos", "random"));
  EXPECT_THAT(bash_offers("projfgd compare --init ''"),
              ElementsAre("<files>", "spectral", "lanczos", "random"));
  EXPECT_THAT(bash_offers("projfgd simulate cdp --image ''"),
              ElementsAre("<files>", "stars", "phantom"));
  EXPECT_THAT(bash_offers("projfgd compare --step t"), ElementsAre("theory", "theory-adaptive"));
  EXPECT_THAT(bash_offers("projfgd compare --methods ''"), IsSupersetOf({"rsvp", "hio"}));
  EXPECT_THAT(bash_offers("projfgd compare --methods rsvp,hio,wir"),
              ElementsAre("rsvp,hio,wirtinger-flow"));
}

TEST(Completion, FishOffersTheSame) {
  if (!installed("fish")) GTEST_SKIP() << "fish is not installed";
  const TemporaryFolder folder;
  const auto offers = [&](const std::string& line) {
    const Outcome outcome = shell(folder.path(),
                                  "HOME=$PWD fish --no-config -c 'projfgd completion fish | "
                                  "source; complete -C \"" +
                                      line + "\"'");
    EXPECT_EQ(outcome.err, "");
    std::vector<std::string> found = lines(outcome.out);
    for (std::string& entry : found) entry.resize(std::min(entry.find('\t'), entry.size()));
    return found;
  };
  EXPECT_THAT(offers("projfgd tomo"), ElementsAre("tomography"));
  EXPECT_THAT(offers("projfgd simulate cdp --pat"), ElementsAre("--patterns"));
  EXPECT_THAT(offers("projfgd tomography --loss po"), ElementsAre("poisson"));
  EXPECT_THAT(offers("projfgd compare --methods wir"), ElementsAre("wirtinger-flow"));
  EXPECT_THAT(offers("projfgd compare --methods rsvp,wir"), ElementsAre("rsvp,wirtinger-flow"));
  folder.file("counts.json", "");
  EXPECT_THAT(offers("projfgd tomography coun"), ElementsAre("counts.json"));
}

TEST(Completion, ZshOffersTheSame) {
  if (!installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  const TemporaryFolder folder;
  const Outcome script =
      shell(folder.path(), "projfgd completion zsh >_projfgd && zsh -n _projfgd");
  EXPECT_EQ(script.code, 0) << script.err;
  folder.file("counts.json", "");
  folder.file("inside.zsh", R"(
fpath=($PWD $fpath)
autoload -U compinit
compinit -u -D
show() { zle complete-word; print -r -- "$BUFFER" >>offers; BUFFER= }
zle -N show
bindkey '^X' show
)");
  // A terminal inside zsh, in which somebody types and asks.
  folder.file("ask.zsh", R"(
zmodload zsh/zpty
zpty -b z zsh -f -i
wait_for() { until eval "$1"; do zpty -r -t z rest; sleep 0.02; done }
zpty -w z 'source ./inside.zsh; touch ready'
wait_for '[[ -e ready ]]'
for line in "$@"; do
  : >offers
  zpty -w -n z "$line"$'\C-x'
  wait_for '[[ -s offers ]]'
  cat offers
done
zpty -d z
)");
  const Outcome outcome =
      shell(folder.path(),
            "timeout 60 zsh -f ask.zsh 'projfgd tomo' 'projfgd simulate cdp --pat' 'projfgd "
            "tomography --loss po' 'projfgd tomography coun' 'projfgd tomography --target=gh' "
            "'projfgd compare --methods rsvp,wir'");
  EXPECT_THAT(lines(outcome.out),
              ElementsAre("projfgd tomography ",
                          "projfgd simulate cdp --patterns=", "projfgd tomography --loss poisson ",
                          "projfgd tomography counts.json ", "projfgd tomography --target=ghz ",
                          "projfgd compare --methods rsvp,wirtinger-flow,"))  // another may follow
      << outcome.err;
}

TEST(Completion, AnotherShellIsRefused) {
  const TemporaryFolder folder;
  const Outcome outcome = shell(folder.path(), "projfgd completion tcsh");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "projfgd: argument SHELL: found \"tcsh\", expected bash, zsh or fish\n");
}

TEST(ManPage, HasEveryCommandAndNoWarning) {
  if (!installed("man")) GTEST_SKIP() << "man is not installed";
  const TemporaryFolder folder;
  const Outcome page = shell(folder.path(),
                             "projfgd man >projfgd.1 && MANWIDTH=200 LC_ALL=C.UTF-8 man "
                             "--warnings --nh --nj -l projfgd.1 | col -b");
  EXPECT_EQ(page.code, 0);
  EXPECT_EQ(page.err, "");
  EXPECT_THAT(page.out, HasSubstr("projfgd " + std::string(version())));
  // Every long option of every help stands in it.
  for (const char* verb : {"", "tomography", "phase", "solve", "simulate pauli", "simulate counts",
                           "simulate cdp", "bench"}) {
    const std::string command = std::string("projfgd ") + verb + " --help";
    const Outcome options =
        shell(folder.path(), command + " | grep -oE '^ +(-h,)?--[a-z-]+' | grep -oE -- '--.*'");
    EXPECT_EQ(options.code, 0) << command;
    for (const std::string& option : lines(options.out)) {
      EXPECT_THAT(page.out, HasSubstr("       " + option)) << command;
    }
  }
}

}  // namespace
}  // namespace projfgd
