#include "projfgd/measures/few_terms.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>

#include "projfgd/core/small_matrix.hpp"

namespace projfgd {
namespace {

using C = std::complex<double>;

/// Outcomes that a guess is made of. Every one more costs a column in products with all the data;
/// a fit adds what is missing.
constexpr std::size_t most_terms = 256;

struct Term {
  std::uint32_t outcome;
  double count;
};

bool is_computational(const Setting& setting, const std::vector<QubitBasis>& bases) {
  const QubitBasis plain{{{1, 0}, {0, 1}}};
  return std::ranges::all_of(setting, [&](auto basis) { return bases[basis] == plain; });
}

/// Those seen most often first.
std::vector<Term> likely_terms(const SeenOutcomes& seen, const Vector<double>& counts,
                               const std::vector<QubitBasis>& bases) {
  std::map<std::uint32_t, double> sums;
  for (std::size_t s = 0; s < seen.settings.size(); ++s) {
    if (!is_computational(seen.settings[s], bases)) continue;
    const Index begin = seen.begin(static_cast<Index>(s)),
                count = seen.count(static_cast<Index>(s));
    for (Index i = 0; i < count; ++i) {
      sums[seen.outcomes[static_cast<std::size_t>(seen.first[s] + i)]] += counts[begin + i];
    }
  }
  std::vector<Term> terms;
  for (const auto& [outcome, count] : sums) terms.push_back({outcome, count});
  std::ranges::stable_sort(terms, std::ranges::greater{}, &Term::count);
  terms.resize(std::min(terms.size(), most_terms));
  return terms;
}

/// <k|V_s|j> for the outcomes k seen of a setting and the terms j.
Matrix<C> amplitudes(const SeenOutcomes& seen, std::size_t setting,
                     const std::vector<QubitBasis>& bases, const std::vector<Term>& terms) {
  Matrix<C> a(seen.count(static_cast<Index>(setting)), static_cast<Index>(terms.size()));
  for (Index j = 0; j < a.cols(); ++j) {
    const std::uint32_t term = terms[static_cast<std::size_t>(j)].outcome;
    for (Index i = 0; i < a.rows(); ++i) {
      const std::uint32_t k = seen.outcomes[static_cast<std::size_t>(seen.first[setting] + i)];
      C product = 1;
      for (std::size_t q = 0; q < seen.settings[setting].size() && product != 0.0; ++q) {
        product *= bases[seen.settings[setting][q]][k >> q & 1][term >> q & 1];
      }
      a(i, j) = product;
    }
  }
  return a;
}

}  // namespace

std::optional<StateFactor> few_term_state(const SeenOutcomes& seen, const Vector<double>& counts,
                                          const std::vector<QubitBasis>& bases, Index rank) {
  const std::vector<Term> terms = likely_terms(seen, counts, bases);
  if (terms.empty()) return std::nullopt;
  const auto size = static_cast<Index>(terms.size());
  Vector<double> moduli(size);
  for (Index j = 0; j < size; ++j) {
    moduli[j] = std::sqrt(terms[static_cast<std::size_t>(j)].count);
  }
  moduli.normalize();
  Matrix<C> pull = Matrix<C>::Zero(size, size);
  for (std::size_t s = 0; s < seen.settings.size(); ++s) {
    if (is_computational(seen.settings[s], bases)) continue;  // tells nothing of phases
    Matrix<C> b = amplitudes(seen, s, bases, terms) * moduli.asDiagonal();
    for (Index i = 0; i < b.rows(); ++i) {
      const double predicted = b.row(i).squaredNorm();
      const double count = counts[seen.begin(static_cast<Index>(s)) + i];
      b.row(i) *= predicted > 0 ? std::sqrt(count / predicted) : 0;
    }
    pull.noalias() += b.adjoint() * b;
  }
  const HermitianEigen<C> eigen = hermitian_eigen(pull);
  const Index columns = std::min(rank, size);
  StateFactor u = StateFactor::Zero(Index{1} << seen.settings[0].size(), rank);
  for (Index j = 0; j < size; ++j) {
    // <k|u> = sum_j <k|V|j> u_j, so u has the phases of the eigenvectors themselves.
    const auto leading = eigen.vectors.row(j).tail(columns).reverse().eval();
    const auto row =
        (leading.array() *
         eigen.values.tail(columns).reverse().transpose().array().max(0).sqrt().cast<C>())
            .matrix()
            .eval();
    const double length = row.norm();
    const Index place = terms[static_cast<std::size_t>(j)].outcome;
    if (length > 0) {
      u.row(place).head(columns) = row * (moduli[j] / length);
    } else {
      u(place, 0) = moduli[j];
    }
  }
  return u;
}

}  // namespace projfgd
