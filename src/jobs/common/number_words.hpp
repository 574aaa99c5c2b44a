// How the numbers of a summary are written, with their intervals.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace projfgd {

enum class NumberFormat { number, near_one, seconds, decibel, pixels, share, text };

std::string in_words(const nlohmann::ordered_json& value, NumberFormat format);

/// The intervals of the summary, or those of one of its lists, with the level of all and the
/// methods.
nlohmann::ordered_json intervals_of(const nlohmann::ordered_json& summary,
                                    const char* list = nullptr);

/// The decimals of a value and of its interval: to the second digit of an error bar that begins
/// with 1 or 2, else to the first.
int decimals_of(double value, const nlohmann::ordered_json& pair);

/// "0.900 to 0.913"
std::string range_in_words(const nlohmann::ordered_json& pair, int decimals);

/// What a fact shows of a quantity: its value and its interval, or what the data leave open.
struct Shown {
  std::string value, interval;
};

/// `alone` is how the value is written where it has no interval.
Shown shown_of(double value, std::string alone, const nlohmann::ordered_json& intervals,
               const std::string& key, bool open);

}  // namespace projfgd
