#include "jobs.hpp"

#include <complex>
#include <memory>
#include <utility>

namespace projfgd::python {
namespace {

constexpr Keyword<Options> option_keywords[] = {
    {"step", "auto, theory, theory-adaptive or a number > 0",
     [](Options& o, nb::handle v) { set_step(nb::cast<std::string>(nb::str(v)), o); }},
    {"step_constant", "a number", set_field<&Options::step_constant, Options>},
    {"smoothness", "a number", set_field<&Options::smoothness, Options>},
    {"max_iterations", "an integer", set_field<&Options::max_iterations, Options>},
    {"tolerance", "a number", set_field<&Options::tolerance, Options>},
    {"gradient_tolerance", "a number", set_field<&Options::gradient_tolerance, Options>},
    {"time_limit", "a number", set_field<&Options::time_limit, Options>},
    {"memory", "an integer", set_field<&Options::memory, Options>},
    {"seed", "an integer >= 0", set_field<&Options::seed, Options>},
};

constexpr Keyword<RunSettings> setting_keywords[] = {
    {"method", "a name", set_field<&RunSettings::method, RunSettings>},
    {"rank", "an integer >= 1, \"auto\" or \"full\"", set_field<&RunSettings::rank, RunSettings>},
    {"constraint", "a name", set_field<&RunSettings::constraint, RunSettings>},
    {"init", "spectral, random or a factor", set_field<&RunSettings::init, RunSettings>},
    {"single_precision", "a boolean", set_field<&RunSettings::single_precision, RunSettings>},
    {"threads", "an integer", set_field<&RunSettings::threads, RunSettings>},
    {"truth", "a factor", set_field<&RunSettings::truth, RunSettings>},
};

/// The words of the command line in Python's, wherever the record shows them.
void put_in_python(RunRecord& record) {
  for (const char* said : {"message", "rank_reason"}) {
    if (record.summary.contains(said)) {
      record.summary[said] = in_python(record.summary[said].get<std::string>());
    }
  }
  if (record.summary.contains("warnings")) {
    for (Json& line : record.summary["warnings"]) line = in_python(line.get<std::string>());
  }
  if (!record.report) return;
  record.report = [complete = std::move(record.report)](Report& page) {
    complete(page);
    for (std::string& line : page.remarks) line = in_python(line);
  };
}

/// What makes report.html when it is asked for. It keeps the state of the report, which is of the
/// size of the answer, and not the page, which is of megabytes.
nb::object page_of(const RunRecord& record) {
  const auto kept = std::make_shared<RunRecord>();
  kept->summary = record.summary;
  kept->trace = record.trace;
  kept->report = record.report;
  return nb::cpp_function([kept] { return report_html(*kept); });
}

/// Empty where nothing is to be kept.
std::unique_ptr<Journal> begin_journal(const nb::dict& plan, const std::filesystem::path& out) {
  const auto every = nb::cast<double>(plan["every"]);
  const auto resume = nb::cast<bool>(plan["resume"]);
  if (out.empty()) return nullptr;
  NamedSettings settings;
  for (const auto& [name, value] : nb::cast<nb::dict>(plan["settings"])) {
    settings[nb::cast<std::string>(name)] = nb::cast<std::string>(value);
  }
  auto journal = std::make_unique<Journal>(out, every, std::move(settings));
  if (every == 0 && !resume && !journal->has_file()) return nullptr;
  if (resume) journal->resume();
  return journal;
}

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

Options make_options(const nb::dict& keywords) {
  Options options;
  assign(option_keywords, keywords, options);
  return options;
}

RunSettings make_settings(RunSettings standard, const nb::dict& keywords, const nb::dict& options,
                          const nb::dict& in_memory) {
  RunSettings settings = std::move(standard);
  assign(setting_keywords, keywords, settings);
  settings.options = make_options(options);
  for (const auto& [name, value] : in_memory) {
    const auto pair = nb::cast<nb::tuple>(value);
    const auto head = nb::cast<nb::bytes>(pair[0]);
    const auto rest = nb::cast<Bytes>(pair[1]);
    settings.in_memory.emplace(
        nb::cast<std::string>(name),
        MemoryFile{{head.c_str(), head.size()},
                   {reinterpret_cast<const char*>(rest.data()), rest.size()}});
  }
  return settings;
}

nb::object to_python(Array array) {
  auto* kept = new Array(std::move(array));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Array*>(p); });
  const std::vector<std::size_t> shape(kept->shape.begin(), kept->shape.end());
  void* data = kept->values.data();
  if (kept->complex) {
    using Complex = nb::ndarray<nb::numpy, std::complex<double>>;
    return nb::cast(Complex(data, shape.size(), shape.data(), owner));
  }
  return nb::cast(nb::ndarray<nb::numpy, double>(data, shape.size(), shape.data(), owner));
}

Array from_python(const nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>& array) {
  Array out;
  out.complex = array.dtype() == nb::dtype<std::complex<double>>();
  for (std::size_t d = 0; d < array.ndim(); ++d) {
    out.shape.push_back(static_cast<Index>(array.shape(d)));
  }
  const auto* first = static_cast<const double*>(array.data());
  out.values.assign(first, first + array.size() * (out.complex ? 2 : 1));
  return out;
}

nb::dict run_job(const Job& job, RunSettings settings, const std::filesystem::path& out,
                 const nb::dict& checkpoint, const std::vector<std::string>& files,
                 nb::object callback, const std::string& command) {
  const Running here;
  std::shared_ptr<FolderLock> lock;
  if (!out.empty()) {
    require_place_for_folder(out, files);
    lock = lock_folder(out);
    settings.outputs = replaced_files(out, files);
    settings.outputs.push_back(out / checkpoint_file);
  }
  const std::unique_ptr<Journal> journal = begin_journal(checkpoint, out);
  Watch watch(std::move(callback));
  bool stopped = false;
  settings.interrupt = [&] { return stopped || watch.poll(); };
  if (journal) settings.interrupt = journal->watched(settings.interrupt);
  settings.journal = journal.get();
  settings.progress = [&](const TraceRow& row) { stopped = stopped || !watch(row); };
  RunRecord record;
  {
    const nb::gil_scoped_release release;
    record = job(settings);
    put_in_python(record);
    record.summary["command"] = command;
    record.summary["message"] =
        watch.message(record.status, record.summary["message"].get<std::string>());
    if (!out.empty()) write_outputs(out, record);
    if (journal) journal->finish(!is_cut_short(record.status));
  }
  nb::dict found;
  found["summary"] = json_text(record.summary);
  found["report"] = page_of(record);
  found["factor"] = to_python(std::move(record.factor));
  found["trace"] = trace_bytes(std::move(record.trace));
  nb::dict arrays;
  for (auto& [name, array] : record.arrays) arrays[name.c_str()] = to_python(std::move(array));
  found["arrays"] = arrays;
  return found;
}

}  // namespace projfgd::python
