// The paper's tables and figures, computed again: what `projfgd reproduce` does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/core/interrupt.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/io/report.hpp"
#include "projfgd/jobs/journal.hpp"

namespace projfgd {

struct ReproduceRequest {
  std::vector<std::string> names;  ///< some of reproductions(); empty: all
  bool quick = false;              ///< the same with few qubits and a small image, in minutes
  std::vector<int> qubits;         ///< only cells with these q; empty: all
  std::vector<double> csam;        ///< only cells with these C; empty: all
  /// One of sample_rule_names(). "linear": m = C r n; "log": m = C r n ln n; "paper": log, but
  /// linear for the two panels whose m the paper prints.
  std::string samples = "paper";
  double time_limit = 0;  ///< seconds a method may take in a cell; 0: default_time_limit()
  std::uint64_t seed = 1;
  std::string command = {};                            ///< as it was typed, for the pages
  int threads = 0;                                     ///< 0: one per core
  Interrupt interrupt;                                 ///< ends it soon
  std::function<void(const std::string&)> progress{};  ///< called with a line a cell
  Journal* journal = nullptr;  ///< cells that are done, for a checkpoint; not owned
};

struct ReproductionName {
  std::string name;   ///< "table-full"
  std::string title;  ///< what it is, in a line
};

/// Those of these names; without a name all, in the order they are run. Throws InputError for a
/// name that is none.
std::vector<ReproductionName> reproductions(const std::vector<std::string>& names = {});

/// paper, linear, log
std::vector<std::string> sample_rule_names();

/// The columns of the tables that do not explain themselves, and what they mean.
std::vector<std::pair<std::string, std::string>> reproduction_columns();

double default_time_limit(bool quick);

/// One table or figure.
struct Reproduction {
  std::string name;
  Json record;    ///< NAME.json: settings, notes, "rows" (NAME.csv too), perhaps "interrupted"
  Report page;    ///< NAME.html
  Table summary;  ///< the rows for a terminal
};

/// Runs what is asked for and hands over each as it is done. Cells that occur in several are run
/// once. Throws InputError for names that are none, for filters that leave nothing, and for options
/// of cells where nothing asked for has any.
void reproduce(const ReproduceRequest& request,
               const std::function<void(const Reproduction&)>& done);

/// NAME.csv, NAME.html and NAME.json.
std::vector<std::string> reproduction_files(const std::string& name);

/// Writes these files.
void write_reproduction(const std::filesystem::path& folder, const Reproduction& reproduction);

}  // namespace projfgd
