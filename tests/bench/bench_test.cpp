#include "projfgd/bench/bench.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "bench/sections.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/device/devices.hpp"

namespace projfgd::bench {
namespace {

TEST(Statistic, IsTheMedianAndHalfTheQuartileDistance) {
  EXPECT_EQ(statistic({3, 1, 2}).median, 2);
  EXPECT_EQ(statistic({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(statistic({5, 1, 4, 2, 3}).spread, 1);  // quartiles 2 and 4
  EXPECT_EQ(statistic({7}).spread, 0);
}

TEST(CompareTimes, TakesTheTwoInTurnAsOftenAsAsked) {
  std::string order;
  const auto wait = [&](char who) {
    order += who;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // long enough not to be repeated
  };
  compare_times([&] { wait('a'); }, [&] { wait('b'); }, {0, 3, 5});
  EXPECT_EQ(order,
            "aabb"
            "ababab");  // two of each to calibrate, then three pairs
}

TEST(Line, SaysWhereNoiseHidesWhetherTheTargetWasReached) {
  Row row{"pauli", "forward", 0.4, "of the FMA rate", 0.01};
  row.target = 0.3;
  EXPECT_NE(line(row).find("[>= 0.3: reached]"), std::string::npos) << line(row);
  row.value = 0.2;
  EXPECT_NE(line(row).find("[>= 0.3: missed]"), std::string::npos) << line(row);
  row.spread = 0.15;
  EXPECT_NE(line(row).find("[>= 0.3: too noisy to tell]"), std::string::npos) << line(row);
  row.spread = 0;
  row.value = 1.2;  // more than all of it
  row.most = 1;
  EXPECT_NE(line(row).find("too noisy to tell"), std::string::npos) << line(row);
  row.value = 0.2;
  row.higher_is_better = false;
  EXPECT_NE(line(row).find("[<= 0.3: reached]"), std::string::npos) << line(row);
}

TEST(Operations, FollowTheFormula) {
  // n = 8: identity alone (one even string), and x = 1 with two even strings and one odd.
  const std::vector<PauliString> strings = {{0, 0}, {1, 0}, {1, 2}, {1, 1}};
  const Operations count = operations(PauliGroups(3, strings), 3, 2);
  EXPECT_EQ(count.forward, 4 * ((7 + 1) + (7 + 2) + (7 + 1)));
  EXPECT_EQ(count.adjoint, 4 * ((16 + 1) + (16 + 2) + (16 + 1)));
  // Many strings: a Walsh-Hadamard transform is cheaper than the sums.
  std::vector<PauliString> many;
  for (std::uint32_t z = 0; z < 8; ++z) many.push_back({0, z});
  EXPECT_EQ(operations(PauliGroups(3, many), 3, 1).forward, 4 * (3 + 2));
}

nlohmann::ordered_json result(double value, double spread, const char* name = "a") {
  return {{"rows",
           {{{"section", "s"},
             {"name", name},
             {"value", value},
             {"spread", spread},
             {"higher_is_better", true}}}}};
}

TEST(Compare, TellsSlowerFromNoise) {
  EXPECT_NE(compare(result(0.5, 0), result(1, 0)).find("slower   s: a: 0.5, was 1"),
            std::string::npos);
  EXPECT_NE(compare(result(2, 0), result(1, 0)).find("faster"), std::string::npos);
  const std::string noise = compare(result(0.8, 0.15), result(1, 0.1));
  EXPECT_EQ(noise.find("slower"), std::string::npos);
  EXPECT_NE(noise.find("1 figures the same"), std::string::npos);
  const std::string other = compare(result(1, 0, "b"), result(1, 0));
  EXPECT_NE(other.find("new      s: b"), std::string::npos);
  EXPECT_NE(other.find("missing  s: a"), std::string::npos);
}

TEST(Compare, RefusesWhatIsNoResult) {
  EXPECT_THROW(compare(result(1, 0), nlohmann::ordered_json::object()), InputError);
  EXPECT_THROW(compare(result(1, 0), {{"rows", {{{"name", 3}}}}}), InputError);
}

TEST(Run, RefusesAnUnknownSection) {
  Options options;
  options.sections = {"paulli"};
  EXPECT_THROW(run(options, [](const Row&) { return true; }), InputError);
}

TEST(Run, SaysWhyThereIsNoGpuToThoseWhoAskForIt) {
  if (!device::backend().empty()) GTEST_SKIP() << "this program was built with CUDA";
  Options options;
  options.sections = {"gpu"};
  try {
    run(options, [](const Row&) { return true; });
    FAIL() << "nothing was said";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("section gpu: this program was built without CUDA"),
              0u)
        << error.what();
  }
}

TEST(Run, StopsWhenToldAndKeepsWhatItHas) {
  for (const char* section : {"pauli", "diffraction"}) {
    Options options;
    options.quick = true;
    options.sections = {section};
    const auto json = run(options, [](const Row&) { return false; });
    ASSERT_EQ(json.at("rows").size(), 1u);
    EXPECT_EQ(json.at("rows")[0].at("section"), section);
    EXPECT_GT(json.at("rows")[0].at("value").get<double>(), 0);
    EXPECT_TRUE(json.contains("operations"));
  }
}

}  // namespace
}  // namespace projfgd::bench
