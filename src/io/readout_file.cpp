#include <fmt/format.h>

#include <cmath>

#include "io/formats/reader.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/io/measurements.hpp"

namespace projfgd {
namespace {

using formats::CountsBuilder;
using formats::fail;
using formats::place;

/// p(read j | prepared k) of all basis states in row j and column k; qubit 0 is the lowest bit.
Readout read_full(const Json& json, Index n, const std::filesystem::path& path) {
  require_memory(static_cast<double>(n) * static_cast<double>(n) * sizeof(double),
                 "a full readout matrix");
  if (static_cast<Index>(json.size()) != n) {
    fail(path.string(), fmt::format("a matrix of {} rows", json.size()),
         fmt::format("{0} x {0} numbers, or a list of 2 x 2 matrices", n));
  }
  Readout readout;
  readout.full.resize(n, n);
  for (Index j = 0; j < n; ++j) {
    const Json& row = json[static_cast<std::size_t>(j)];
    if (!row.is_array() || static_cast<Index>(row.size()) != n) {
      fail(place(path, fmt::format("[{}]", j)),
           row.is_array() ? fmt::format("{} entries", row.size()) : row.dump(),
           fmt::format("a row of {} numbers", n));
    }
    for (Index k = 0; k < n; ++k) {
      const Json& entry = row[static_cast<std::size_t>(k)];
      if (!entry.is_number())
        fail(place(path, fmt::format("[{}][{}]", j, k)), entry.dump(), "a number");
      readout.full(j, k) = entry.get<double>();
    }
  }
  return readout;
}

/// [[p(0|0), p(0|1)], [p(1|0), p(1|1)]] for every qubit.
Readout read_matrices(const Json& json, int qubits, const std::filesystem::path& path) {
  if (json.size() != static_cast<std::size_t>(qubits)) {
    fail(path.string(), fmt::format("{} matrices", json.size()),
         qubits == 1 ? "one for the qubit" : fmt::format("one for each of {} qubits", qubits));
  }
  Readout readout;
  for (std::size_t j = 0; j < json.size(); ++j) {
    std::array<std::array<double, 2>, 2> c;
    for (std::size_t k = 0; k < 4; ++k) {
      const Json& row = json[j].is_array() && json[j].size() == 2 ? json[j][k / 2] : json[j];
      if (!row.is_array() || row.size() != 2 || !row[k % 2].is_number()) {
        fail(place(path, fmt::format("[{}]", j)), json[j].dump(), "a 2 x 2 matrix");
      }
      c[k / 2][k % 2] = row[k % 2].get<double>();
    }
    readout.per_qubit.push_back(c);
  }
  return readout;
}

/// The outcome frequencies of one prepared state.
Vector<double> column(const Json& counts, int qubits, const MeasurementFormat& format,
                      const std::string& where) {
  CountsBuilder builder(format);
  builder.begin({std::string(static_cast<std::size_t>(qubits), 'Z')}, where);
  builder.add_all(counts, where);
  const CountsData data = std::move(builder).finish(where);
  return data.counts / data.counts.sum();
}

/// One 2 x 2 matrix a qubit from what 0...0 and 1...1 were read as.
Readout from_extremes(const Vector<double>& zeros, const Vector<double>& ones, int qubits) {
  Readout readout;
  for (int j = 0; j < qubits; ++j) {
    std::array<double, 2> read_one{};
    for (Index k = 0; k < zeros.size(); ++k) {
      if (((k >> j) & 1) == 0) continue;
      read_one[0] += zeros[k];
      read_one[1] += ones[k];
    }
    readout.per_qubit.push_back({{{1 - read_one[0], 1 - read_one[1]}, {read_one[0], read_one[1]}}});
  }
  return readout;
}

/// What is read must tell what was there: the columns of the matrix must differ.
void require_invertible(const Readout& readout, const std::filesystem::path& path) {
  constexpr double least = 0.01;
  for (std::size_t j = 0; j < readout.per_qubit.size(); ++j) {
    const auto& c = readout.per_qubit[j];
    if (std::abs(c[0][0] * c[1][1] - c[0][1] * c[1][0]) >= least) continue;
    fail(place(path, fmt::format("qubit {}", j)),
         fmt::format("0 read as 0 with probability {:.3g} and 1 read as 0 with {:.3g}", c[0][0],
                     c[0][1]),
         "different probabilities");
  }
  constexpr Index largest = 256;  // a decomposition of more would take longer than the fit
  if (readout.full.size() == 0 || readout.full.rows() > largest) return;
  const double smallest = singular_values(readout.full).values.minCoeff();
  if (smallest >= least * least) return;
  fail(path.string(), fmt::format("a matrix whose smallest singular value is {:.2g}", smallest),
       "prepared states that are read differently");
}

Readout checked(Readout readout, int qubits, const std::filesystem::path& path) {
  try {
    validate(readout, qubits);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
  require_invertible(readout, path);
  return readout;
}

}  // namespace

Readout parse_readout(const NamedBytes& file, int qubits, bool bits_qubit0_left) {
  const Json json = parse_json(file.bytes, file.path);
  const Index n = Index{1} << qubits;
  Readout readout;
  if (json.is_array() && !json.empty() && json[0].is_array()) {
    const bool whole = !json[0].empty() && json[0][0].is_number();
    return checked(whole ? read_full(json, n, file.path) : read_matrices(json, qubits, file.path),
                   qubits, file.path);
  }
  if (!json.is_structured()) fail(file.path.string(), json.dump(), "a readout calibration");
  MeasurementFormat format;
  format.bits_qubit0_left = bits_qubit0_left;
  std::map<std::uint64_t, Vector<double>> columns;
  for (const auto& [key, counts] : json.items()) {
    const std::string where = place(file.path, key);
    // A prepared state is named as an outcome is, so the same parser reads it.
    CountsBuilder prepared(format);
    prepared.begin({std::string(static_cast<std::size_t>(qubits), 'Z')}, where);
    prepared.add(key, 1, where);
    Index state = 0;
    std::move(prepared).finish(where).counts.maxCoeff(&state);
    columns[static_cast<std::uint64_t>(state)] = column(counts, qubits, format, where);
  }
  const auto zeros = columns.find(0), ones = columns.find(static_cast<std::uint64_t>(n - 1));
  if (static_cast<Index>(columns.size()) == n) {
    require_memory(static_cast<double>(n) * static_cast<double>(n) * sizeof(double),
                   "a full readout matrix");
    readout.full.resize(n, n);
    for (const auto& [state, frequencies] : columns) {
      readout.full.col(static_cast<Index>(state)) = frequencies;
    }
  } else if (columns.size() == 2 && zeros != columns.end() && ones != columns.end()) {
    readout = from_extremes(zeros->second, ones->second, qubits);
  } else {
    fail(file.path.string(), fmt::format("{} prepared states", columns.size()),
         fmt::format("all {} of them, or the two 0...0 and 1...1 by their names", n));
  }
  return checked(std::move(readout), qubits, file.path);
}

}  // namespace projfgd
