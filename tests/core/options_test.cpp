#include "projfgd/core/options.hpp"

#include <gtest/gtest.h>

#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {
namespace {

TEST(Either, ListsNamesAsASentenceDoes) {
  EXPECT_EQ(either({}), "");
  EXPECT_EQ(either({"a"}), "a");
  EXPECT_EQ(either({"a", "b"}), "a or b");
  EXPECT_EQ(either({"a", "b"}, "a file"), "a, b or a file");
}

TEST(StepRule, HasEveryNameThatIsListed) {
  std::vector<StepRule> rules;
  for (const std::string& name : step_rule_names()) {
    Options options;
    options.step = StepRule::constant;
    set_step(name, options);
    rules.push_back(options.step);
  }
  EXPECT_EQ(step_rule_names(), (std::vector<std::string>{"auto", "theory", "theory-adaptive"}));
  EXPECT_EQ(rules, (std::vector{StepRule::automatic, StepRule::theory, StepRule::theory_adaptive}));
  Options options;
  set_step("0.5", options);
  EXPECT_EQ(options.step, StepRule::constant);
  EXPECT_EQ(options.step_size, 0.5);
  EXPECT_THROW(set_step("fast", options), InputError);
}

}  // namespace
}  // namespace projfgd
