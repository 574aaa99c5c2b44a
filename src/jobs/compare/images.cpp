#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "jobs/common/make_record.hpp"
#include "jobs/compare/rows.hpp"
#include "jobs/phase/prepared.hpp"

namespace projfgd {
namespace {

/// Methods that are one and the same where there is no set to tell them apart.
std::vector<std::string> same_without_set(const std::vector<std::string>& methods) {
  const std::vector<std::vector<std::string>> families = {
      {"gerchberg-saxton", "error-reduction", "hio"}, {"wirtinger-flow", "paper-projfgd"}};
  std::vector<std::string> lines;
  for (const auto& family : families) {
    const auto same =
        chosen(methods, [&](const auto& method) { return std::ranges::count(family, method) > 0; });
    if (same.size() < 2) continue;
    lines.push_back(
        fmt::format("{} take the same steps here: they differ only in how they treat a constraint, "
                    "and none was given (--constraint, --support)",
                    fmt::join(same, " and ")));
  }
  return lines;
}

}  // namespace

Comparison compare_images(const CompareInput& input, const RunSettings& settings) {
  Comparison out{common_summary("phase", settings), {}};
  const PreparedPhase run = prepare_phase(input.phase, settings);
  for (const std::string& method : input.methods) {
    RunSettings one = settings;
    one.method = method;
    ComparedRun done;
    Json about;  // what is the same for all methods
    limited_piece(
        settings.journal, "method",
        [&] {
          RunRecord record = run(one);
          for (const char* key : {"dimension", "measurements", "patterns", "constraint", "support",
                                  "input", "input_sha256"}) {
            if (record.summary.contains(key)) about[key] = record.summary[key];
          }
          done = compared_run(std::move(record), method);
        },
        done, about);
    const bool has_set = about["constraint"] != "none" || about.contains("support");
    about.erase("support");
    out.summary.update(about);
    if (out.runs.empty() && !has_set) add_warnings(same_without_set(input.methods), out.summary);
    out.runs.push_back(std::move(done));
    if (input.done) input.done(out.runs.back());
    if (is_interrupted(settings.interrupt)) break;
  }
  return out;
}

}  // namespace projfgd
