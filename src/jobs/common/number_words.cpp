#include "jobs/common/number_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "projfgd/io/report.hpp"

namespace projfgd {
namespace {

using nlohmann::ordered_json;

std::string method_of(const ordered_json& intervals, const std::string& key) {
  const ordered_json& methods = intervals.at("methods");  // one for each, or for all of a list
  return methods.is_string() ? methods.get<std::string>() : methods.value(key, "");
}

}  // namespace

std::string in_words(const ordered_json& value, NumberFormat format) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    std::string list;
    for (const ordered_json& item : value) {
      list += (list.empty() ? "" : ", ") + in_words(item, format);
    }
    return list;
  }
  if (!value.is_number() || format == NumberFormat::text) return value.dump();
  const double number = value.get<double>();
  if (format == NumberFormat::seconds) return format_seconds(number);
  if (format == NumberFormat::share) return fmt::format("{:.2g}%", 100 * number);
  if (format == NumberFormat::decibel) return format_number(number) + " dB";
  if (format == NumberFormat::pixels) {
    return format_number(number, 2) + (number == 1 ? " pixel" : " pixels");
  }
  // What is almost 1 is told by how much it is not, as long as rounding leaves that visible.
  const double rest = 1 - number;
  if (format == NumberFormat::near_one && std::abs(rest) < 1e-3) {
    if (std::abs(rest) < 1e-14) return "1";
    return fmt::format("1 {} {}", rest > 0 ? "−" : "+", format_number(std::abs(rest), 2));
  }
  return format_number(number);
}

ordered_json intervals_of(const ordered_json& summary, const char* list) {
  const ordered_json all = summary.value("intervals", ordered_json::object());
  const ordered_json methods = summary.value("interval_method", ordered_json::object());
  ordered_json some = list == nullptr ? all : all.value(list, ordered_json::object());
  some["level"] = all.value("level", 0.0);
  some["methods"] = list == nullptr ? methods : methods.value(list, ordered_json::object());
  return some;
}

int decimals_of(double value, const ordered_json& pair) {
  constexpr int least = 2, most = 12, of_no_width = 6;
  const double width =
      std::max(std::abs(pair[0].get<double>() - value), std::abs(pair[1].get<double>() - value));
  if (!(width > 0)) return of_no_width;
  return static_cast<int>(
      std::clamp(std::ceil(-std::log10(width / 3)), double{least}, double{most}));
}

std::string range_in_words(const ordered_json& pair, int decimals) {
  return fmt::format("{} to {}", format_fixed(pair[0].get<double>(), decimals),
                     format_fixed(pair[1].get<double>(), decimals));
}

Shown shown_of(double value, std::string alone, const ordered_json& intervals,
               const std::string& key, bool open) {
  if (!intervals.contains(key)) return {open ? "not determined" : std::move(alone), ""};
  const ordered_json& pair = intervals.at(key);
  const int decimals = decimals_of(value, pair);
  const std::string range = range_in_words(pair, decimals), method = method_of(intervals, key);
  if (open) return {"not determined", range + " fit the data"};
  // All values that fit: then the range is the answer, not the value of the one state found.
  if (method.starts_with("range")) return {range, "all of these fit equally well"};
  return {format_fixed(value, decimals),
          fmt::format("{:.0f}%{}: {}", 100 * intervals.value("level", 0.0),
                      method == "bootstrap" ? " by bootstrap" : "", range)};
}

}  // namespace projfgd
