// Pure states in JSON.
#include "projfgd/io/state_file.hpp"

#include <gtest/gtest.h>

#include "projfgd/core/error.hpp"

namespace projfgd {
namespace {

std::string refusal(const std::string& text, int qubits) {
  try {
    parse_state({"psi.json", text}, qubits);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StateFile, ListsAndObjectsGiveTheSameAmplitudes) {
  const Array list = parse_state({"psi.json", "[0, 0.5, [0, -0.5], 0]"}, 2);
  const Array object = parse_state({"psi.json", R"({"01": 0.5, "10": [0, -0.5]})"}, 2);
  EXPECT_EQ(list.shape, std::vector<Index>{4});
  EXPECT_EQ(list.values, (std::vector<double>{0, 0, 0.5, 0, 0, -0.5, 0, 0}));
  EXPECT_EQ(object.values, list.values);
}

TEST(StateFile, WhatIsNoStateIsNamed) {
  EXPECT_EQ(refusal("[1, 0]", 2),
            "psi.json: found 2 amplitudes, expected 4 for 2 qubits, or an object with those that "
            "are not 0");
  EXPECT_EQ(refusal(R"({"011": 1})", 2),
            "psi.json: found the basis state \"011\", expected 2 digits 0 or 1");
  EXPECT_EQ(refusal(R"({"0a": 1})", 2),
            "psi.json: found the basis state \"0a\", expected 2 digits 0 or 1");
  EXPECT_EQ(refusal(R"([1, "i", 0, 0])", 2),
            "psi.json: [1]: found \"i\", expected a number or [real, imaginary]");
  EXPECT_EQ(refusal("1", 2),
            "psi.json: found 1, expected a list of amplitudes, or an object such as {\"01\": 1}");
}

}  // namespace
}  // namespace projfgd
