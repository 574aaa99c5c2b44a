#include "projfgd/jobs/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <variant>

#include "jobs/place/devices.hpp"
#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/device/devices.hpp"

namespace projfgd {
namespace {

// `auto` takes a GPU where a solve on the processor takes longer than it takes to open one. On an
// H200 that was 0.21 to 0.26 s, and what an iteration costs there beside its products, 0.16 ms, is
// nothing next to it.
constexpr double seconds_to_open = 0.25;
constexpr double products_of_a_solve = 100;        ///< some 55 steps, and the start
constexpr double multiplications_a_second = 1e10;  ///< of one core, in these products

bool is_worth_the_trip(double work) {
  return work * products_of_a_solve >
         seconds_to_open * multiplications_a_second * static_cast<double>(threads());
}

[[noreturn]] void refuse(const std::string& found, const std::string& expected) {
  throw InputError(fmt::format("--device: found \"{}\", expected {}", found, expected));
}

/// The K of gpu:K; nothing of gpu.
std::optional<int> parse_index(const std::string& device) {
  if (device == device_name::gpu) return std::nullopt;
  const std::string prefix = fmt::format("{}:", device_name::gpu);
  int index = -1;
  if (device.starts_with(prefix)) {
    const char *begin = device.data() + prefix.size(), *end = device.data() + device.size();
    const auto [at, error] = std::from_chars(begin, end, index);
    if (at != end || error != std::errc()) index = -1;
  }
  if (index < 0) {
    throw InputError(
        unknown_name("--device", device, device_names(), "gpu:K with the number K of a GPU"));
  }
  return index;
}

}  // namespace

std::vector<std::string> device_names() {
  return {device_name::automatic, device_name::cpu, device_name::gpu};
}

void require_device_name(const std::string& device) {
  if (device != device_name::automatic && device != device_name::cpu) parse_index(device);
}

double work_elsewhere(const Measurements& data, const Readout& readout, Index rank) {
  const double columns = static_cast<double>(std::max<Index>(rank, 1));
  if (const auto* paulis = std::get_if<PauliData>(&data)) {  // as operators/pauli.hpp counts them
    const double rows = std::ldexp(1., paulis->qubits),
                 strings = static_cast<double>(paulis->strings.size());
    return rows * (strings + 4 * columns * std::min(rows, strings));
  }
  if (const auto* projectors = std::get_if<ProjectorData>(&data)) {
    return 4 * std::ldexp(columns, projectors->qubits) *
           static_cast<double>(projectors->projectors.size());
  }
  // A butterfly is eight multiplications for two amplitudes.
  const auto of_settings = [columns](int qubits, std::size_t settings) {
    return 4.0 * qubits * std::ldexp(columns, qubits) * static_cast<double>(settings);
  };
  if (const auto* counts = std::get_if<CountsData>(&data)) {
    return of_settings(counts->qubits, counts->settings.size()) +
           static_cast<double>(readout.full.size()) * static_cast<double>(counts->settings.size());
  }
  const auto& seen = std::get<SeenCounts>(data);
  return of_settings(seen.qubits, seen.seen.settings.size());
}

std::shared_ptr<const Place> find_place(const std::string& device, double work, const char* what,
                                        int before) {
  if (device == device_name::cpu) return nullptr;
  if (device == device_name::automatic) {
    const int count = is_worth_the_trip(work) ? device::count() : 0;
    return count > 0 ? open_device(before % count) : nullptr;
  }
  const std::optional<int> named = parse_index(device);
  if (device::backend().empty()) {
    throw InputError(fmt::format("--device: found \"{}\", but {}", device, device::why_none()));
  }
  if (work == 0) refuse(device, fmt::format("cpu or auto: {} do not run on a GPU yet", what));
  const int count = device::count();
  if (count == 0) {
    throw ResourceError(fmt::format("--device: found \"{}\", but {}", device, device::why_none()));
  }
  const int index = named.value_or(before % count);
  if (index >= count) {
    refuse(device, count == 1 ? "gpu: there is one GPU, number 0"
                              : fmt::format("a number below {}, the number of GPUs", count));
  }
  return open_device(index);
}

std::vector<std::string> built_in() {
  const std::string backend = device::backend();
  return {fmt::format("GPU: {}", backend.empty() ? "not built in" : backend)};
}

}  // namespace projfgd
