// Rates of tomography over families of states; tomography_battery prints the tables behind them.
#include <gtest/gtest.h>

#include <cmath>

#include "battery/tomography_tables.hpp"

namespace projfgd::battery {
namespace {

TEST(TomographyBattery, FitsOfAGivenRankAreAsGoodAsTheBestOfManyRandomStarts) {
  TableRequest request;
  request.design = {.qubits = 3, .shots = 200};
  request.sets = 6;
  request.seed = 11;
  StartRates all;
  for (const StateFamily& family : request.families) {
    const StartRates rates = rates_of_starts(family, request);
    all.fits += rates.fits;
    all.far_above += rates.far_above;
    all.spectral_far_above += rates.spectral_far_above;
  }
  EXPECT_EQ(all.fits, 48);
  EXPECT_LE(all.far_above, 1);
  EXPECT_GT(all.spectral_far_above, 5);  // else there would be nothing to mend
}

TEST(TomographyBattery, IntervalsHoldTheTruthAsOftenAsTheySay) {
  TableRequest request;
  request.design = {.qubits = 2, .shots = 400};
  request.sets = 25;
  request.seed = 12;
  for (const bool expectations : {false, true}) {
    request.design.expectations = expectations;
    IntervalRates all;
    for (const StateFamily& family : request.families) {
      const IntervalRates rates = rates_of_intervals(family, request);
      all.fidelity.add(rates.fidelity);
      all.purity.add(rates.purity);
      all.largest.add(rates.largest);
      all.paulis.add(rates.paulis);
    }
    // Of 200 intervals at 95% less than 88% hold the truth in 1 of 10,000 cases.
    EXPECT_EQ(all.fidelity.intervals, 200);
    EXPECT_GT(all.fidelity.rate(), 0.88);
    EXPECT_GT(all.purity.rate(), 0.88);
    EXPECT_GT(all.largest.rate(), 0.88);
    EXPECT_GT(all.paulis.rate(), 0.92);  // of 1200, those of one set not independent
    // Of expectations with errors of 1/20 a fidelity has sqrt(3) / 4 of their error; counts of nine
    // settings tell each of them more than once.
    EXPECT_LT(all.fidelity.mean_width(), expectations ? 2 * 1.96 / 20 * std::sqrt(3) / 4 : 0.06);
  }
}

TEST(TomographyBattery, TheLargestEigenvalueIsHeldWhereOthersAreClose) {
  TableRequest request;
  request.design = {.qubits = 3, .shots = 100};
  request.sets = 100;
  request.seed = 13;
  for (const StateFamily& family : request.families) {
    if (family.name != "mixed") continue;
    const Coverage found = rates_of_intervals(family, request).largest;
    EXPECT_EQ(found.intervals, 100);
    EXPECT_GT(found.rate(), 0.86);  // of 100 intervals at 95% fewer hold in 1 of 10,000 cases
  }
}

}  // namespace
}  // namespace projfgd::battery
