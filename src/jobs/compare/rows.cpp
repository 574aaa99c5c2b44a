#include "jobs/compare/rows.hpp"

#include "projfgd/io/table.hpp"
#include "projfgd/jobs/report.hpp"

namespace projfgd {

ComparedRun compared_run(RunRecord record, const std::string& method) {
  ComparedRun run{method, record.status, Json::object(), std::move(record.trace)};
  run.row["method"] = method;
  for (const char* key :
       {"status", "relative_error", "psnr", "misfit", "loss", "objective", "seconds", "iterations",
        "forward_calls", "adjoint_calls", "eigenvector_calls", "transforms", "rank", "gap",
        "certified", "outside_set"}) {
    if (record.summary.contains(key)) run.row[key] = record.summary[key];
  }
  // The error of the last point is known, even where those on the way were spared.
  const auto error = run.row.find("relative_error");
  if (!run.trace.empty() && error != run.row.end() && error->is_number()) {
    run.trace.back().relative_error = error->get<double>();
  }
  for (const Json& line : record.summary.value("warnings", Json::array())) {
    run.warnings.push_back(line.get<std::string>());
  }
  return run;
}

Json warnings_of(const std::vector<ComparedRun>& runs) {
  Json lines = Json::array();
  for (const ComparedRun& run : runs) {
    for (const std::string& line : run.warnings) {
      const auto says = [&line](const ComparedRun& other) {
        return std::ranges::find(other.warnings, line) != other.warnings.end();
      };
      const bool all = runs.size() > 1 && std::ranges::all_of(runs, says);
      const std::size_t name = line.starts_with(run.method + " ") ? run.method.size() + 1 : 0;
      const Json entry = all ? line : run.method + ": " + line.substr(name);
      if (std::ranges::find(lines, entry) == lines.end()) lines.push_back(entry);
    }
  }
  return lines;
}

Json rows_of(const std::vector<ComparedRun>& runs, const std::vector<std::string>& methods) {
  Json rows = Json::array();
  for (const ComparedRun& run : runs) rows.push_back(run.row);
  for (std::size_t k = runs.size(); k < methods.size(); ++k) {
    rows.push_back({{"method", methods[k]}, {"status", "not_run"}});
  }
  return rows;
}

Json common_summary(const char* job, const RunSettings& settings) {
  const Options& o = settings.options;
  Json summary = {{"job", job},
                  {"init", settings.init},
                  {"tolerance", o.tolerance},
                  {"max_iterations", o.max_iterations}};
  summary["time_limit"] = o.time_limit;
  summary["seed"] = o.seed;
  return summary;
}

Table comparison_table(const Json& rows) {
  Json shown = rows;
  for (Json& row : shown) row["status"] = status_in_words(row.at("status"));
  return table_of(shown, {{"method", "method"},
                          {"status", "status"},
                          {"relative_error", "error"},
                          {"psnr", "PSNR"},
                          {"misfit", "misfit"},
                          {"loss", "loss"},
                          {"objective", "objective"},
                          {"seconds", "seconds"},
                          {"iterations", "iterations"},
                          {"forward_calls", "forward"},
                          {"adjoint_calls", "adjoint"},
                          {"eigenvector_calls", "eigenvectors"},
                          {"transforms", "transforms"},
                          {"rank", "rank"},
                          {"gap", "gap"},
                          {"certified", "certified"},
                          {"outside_set", "infeasible"}});
}

}  // namespace projfgd
