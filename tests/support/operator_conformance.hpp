// What every measurement operator must satisfy, for every scalar type. An operator's test file
// gives a maker, a struct with
//
//   using Operator = ...;                       // satisfies MeasurementOperator
//   static Operator make(std::uint64_t seed);   // a small random one, another for each seed
//
// and instantiates the suite:  INSTANTIATE_TYPED_TEST_SUITE_P(Pauli, OperatorConformance, Makers);
// where Makers is a ::testing::Types of makers.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "projfgd/core/any.hpp"
#include "support/support.hpp"

namespace projfgd::test {

/// The seed for which a maker whose small operators work on one thread makes a larger one.
inline constexpr std::uint64_t case_for_threads = 7;
/// The seed for which a maker must not make an operator so large that a library takes the heap.
inline constexpr std::uint64_t case_for_heap = 8;

/// What the suite asks of any operator. Compiled once for each scalar type.
template <class S>
struct Conformance {
  std::function<AnyOperator<S>(std::uint64_t seed)> make;

  void adjoint_is_the_adjoint() const;
  void cross_product_is_the_adjoint_too() const;
  void cross_product_is_the_mixed_term_of_the_square() const;
  void is_linear_in_x_and_in_the_weights() const;
  void same_bits_for_any_number_of_threads() const;
  void takes_nothing_from_the_heap_once_it_is_warm() const;
  void refuses_arguments_of_another_shape() const;
};

/// An operator that need be neither copied nor moved.
template <class A>
class Shared {
 public:
  using Factor = typename A::Factor;
  using Values = typename A::Values;

  explicit Shared(std::shared_ptr<const A> op) : op_(std::move(op)) {}
  Index rows() const { return op_->rows(); }
  Index measurements() const { return op_->measurements(); }
  void forward(const Factor& u, Values& y) const { op_->forward(u, y); }
  void forward(const Factor& u, const Factor& d, Values& y) const { op_->forward(u, d, y); }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    op_->adjoint_times(w, v, g);
  }

 private:
  std::shared_ptr<const A> op_;
};

template <class Maker>
class OperatorConformance : public ::testing::Test {
 protected:
  using A = typename Maker::Operator;
  static_assert(MeasurementOperator<A>);

  const Conformance<typename A::Factor::Scalar> suite{[](std::uint64_t seed) {
    return Shared<A>(std::shared_ptr<const A>(new A(Maker::make(seed))));
  }};
};

TYPED_TEST_SUITE_P(OperatorConformance);

TYPED_TEST_P(OperatorConformance, AdjointIsTheAdjoint) { this->suite.adjoint_is_the_adjoint(); }
TYPED_TEST_P(OperatorConformance, CrossProductIsTheAdjointToo) {
  this->suite.cross_product_is_the_adjoint_too();
}
TYPED_TEST_P(OperatorConformance, CrossProductIsTheMixedTermOfTheSquare) {
  this->suite.cross_product_is_the_mixed_term_of_the_square();
}
TYPED_TEST_P(OperatorConformance, IsLinearInXAndInTheWeights) {
  this->suite.is_linear_in_x_and_in_the_weights();
}
TYPED_TEST_P(OperatorConformance, SameBitsForAnyNumberOfThreads) {
  this->suite.same_bits_for_any_number_of_threads();
}
TYPED_TEST_P(OperatorConformance, TakesNothingFromTheHeapOnceItIsWarm) {
  this->suite.takes_nothing_from_the_heap_once_it_is_warm();
}
TYPED_TEST_P(OperatorConformance, RefusesArgumentsOfAnotherShape) {
  this->suite.refuses_arguments_of_another_shape();
}

REGISTER_TYPED_TEST_SUITE_P(OperatorConformance, AdjointIsTheAdjoint, CrossProductIsTheAdjointToo,
                            CrossProductIsTheMixedTermOfTheSquare, IsLinearInXAndInTheWeights,
                            SameBitsForAnyNumberOfThreads, TakesNothingFromTheHeapOnceItIsWarm,
                            RefusesArgumentsOfAnotherShape);

}  // namespace projfgd::test
