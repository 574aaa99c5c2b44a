#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/function_ref.hpp"

namespace projfgd {

/// Writes variables one after the other, or reads them back in the same order:
///
///   archive(u, value, count);
///
/// One list of variables serves both ways. A class takes part by a member keep(Archive&) that names
/// its own, or by a function keep(Archive&, T&) in this namespace. Sizes that are read are compared
/// with the bytes that are left before memory is taken for them.
class Archive {
 public:
  using Put = std::function<void(std::string_view)>;

  /// Writes, piece by piece.
  explicit Archive(Put put) : put_(std::move(put)) {}
  /// Reads; `name` is what errors name. The bytes must outlive the archive.
  Archive(std::string_view bytes, std::string name) : left_(bytes), name_(std::move(name)) {}

  bool reads() const { return !put_; }
  /// Whether everything was read.
  bool is_at_end() const { return left_.empty(); }

  template <class... Variables>
  void operator()(Variables&&... variables) {
    (keep(*this, variables), ...);
  }

  /// Writes the bytes there, or reads them. Throws InputError where there are not as many.
  void bytes(void* data, std::size_t count);

  /// Writes a number of elements, or reads one. Throws InputError where so many of that size are
  /// more than is left.
  Index count(Index now, std::size_t size);

  /// Throws InputError: the bytes are not what this program wrote.
  [[noreturn]] void refuse() const;

 private:
  Put put_;
  std::string_view left_;
  std::string name_;
};

/// Numbers and other values that are their own bytes.
template <class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void keep(Archive& archive, T& value) {
  archive.bytes(&value, sizeof(T));
}

template <class S, int C>
void keep(Archive& archive, Eigen::Matrix<S, Eigen::Dynamic, C>& matrix) {
  Index columns = matrix.cols();
  archive.bytes(&columns, sizeof columns);
  if (columns < 0 || (C == 1 && columns != 1)) archive.refuse();
  const Index rows = archive.count(matrix.rows(), sizeof(S) * static_cast<std::size_t>(columns));
  if (archive.reads()) matrix.resize(rows, columns);
  archive.bytes(matrix.data(), sizeof(S) * static_cast<std::size_t>(matrix.size()));
}

inline void keep(Archive& archive, std::string& text) {
  text.resize(static_cast<std::size_t>(archive.count(static_cast<Index>(text.size()), 1)));
  archive.bytes(text.data(), text.size());
}

template <class T>
void keep(Archive& archive, std::vector<T>& list) {
  constexpr bool plain = std::is_trivially_copyable_v<T>;
  const Index count =
      archive.count(static_cast<Index>(list.size()), plain ? sizeof(T) : std::size_t{1});
  list.resize(static_cast<std::size_t>(count));
  if constexpr (plain) {
    archive.bytes(list.data(), list.size() * sizeof(T));
  } else {
    for (T& element : list) archive(element);
  }
}

template <class T, std::size_t N>
void keep(Archive& archive, std::array<T, N>& list) {
  for (T& element : list) archive(element);
}

/// Classes that name their variables.
template <class T>
requires requires(T& value, Archive& archive) { value.keep(archive); }
void keep(Archive& archive, T& value) { value.keep(archive); }

/// Numbers that live elsewhere go through the host's memory.
template <class F>
requires(
    !requires(F & u, Archive& archive) { u.keep(archive); } &&
    requires(const F& u, F& v) {
      copy_from_host(Matrix<typename F::Scalar>(copy_to_host(u)), v);
    } &&
    !std::is_base_of_v<Eigen::EigenBase<F>, F>) void keep(Archive& archive, F& u) {
  Matrix<typename F::Scalar> host = copy_to_host(u);
  archive(host);
  if (archive.reads()) copy_from_host(host, u);
}

/// Where a run leaves what it needs to go on later: the one thing that a solver knows of
/// checkpoints.
class Keeper {
 public:
  /// Names the variables of the run.
  using Variables = FunctionRef<void(Archive&)>;

  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  virtual ~Keeper() = default;

  /// Once, at the place where the run was when it was saved: true, and the variables are read.
  virtual bool restore(Variables variables) = 0;
  /// Whether it is time to save; asked after every iteration.
  virtual bool is_due() const = 0;
  virtual void save(Variables variables) = 0;

  /// Something was ended by a limit or by the user before it was done. What is found from then on
  /// is not what a run that was never stopped would find, and is not saved.
  virtual void note_end() = 0;
  /// The same where a number of iterations was the limit.
  virtual void note_iteration_limit() = 0;
  virtual bool has_ended() const = 0;
};

}  // namespace projfgd
