#include "paper_figures.hpp"

namespace projfgd {
namespace {

constexpr const char* times_of_q6_c3 = "the times repeat those of q = 6, C = 3: not of q = 10";
constexpr const char* times_of_q6_c6 = "the times repeat those of q = 6, C = 6: not of q = 10";
constexpr const char* column_of_q6_c6 = "the column repeats q = 6, C = 6 of the big table";
constexpr const char* column_of_q8_c3 = "the column repeats q = 8, C = 3 of the big table";

}  // namespace

const std::vector<PaperFigure>& paper_figures() {
  static const std::vector<PaperFigure> figures = {
      {"table-q13", 13, 1, 3, "acc-uni-pd-grad", 7.4151e-02, 2354.4552},
      {"table-q13", 13, 1, 3, "projfgd", 8.6309e-03, 1214.0654},
      {"table-rank", 10, 5, 3, "rsvp", 5.15e-02, 0.78, times_of_q6_c3},
      {"table-rank", 10, 5, 3, "sparse-approx-sdp", 3.17e-02, 3.74, times_of_q6_c3},
      {"table-rank", 10, 5, 3, "acc-uni-pd-grad", 2.01e-02, 0.36, times_of_q6_c3},
      {"table-rank", 10, 5, 3, "projfgd", 1.20e-02, 0.06, times_of_q6_c3},
      {"table-rank", 10, 20, 3, "rsvp", 1.71e-02, 0.38, times_of_q6_c6},
      {"table-rank", 10, 20, 3, "sparse-approx-sdp", 5.49e-02, 4.38, times_of_q6_c6},
      {"table-rank", 10, 20, 3, "acc-uni-pd-grad", 1.54e-02, 0.33, times_of_q6_c6},
      {"table-rank", 10, 20, 3, "projfgd", 7.12e-03, 0.04, times_of_q6_c6},
      {"table-full", 6, 1, 3, "rsvp", 5.1496e-05, 0.7848},
      {"table-full", 6, 1, 3, "sparse-approx-sdp", 4.6323e-03, 3.7404},
      {"table-full", 6, 1, 3, "acc-uni-pd-grad", 4.0388e-05, 0.3634},
      {"table-full", 6, 1, 3, "projfgd", 2.4116e-05, 0.0599},
      {"table-full", 6, 1, 6, "rsvp", 1.8550e-05, 0.3791},
      {"table-full", 6, 1, 6, "sparse-approx-sdp", 2.2469e-03, 4.3775},
      {"table-full", 6, 1, 6, "acc-uni-pd-grad", 2.4064e-05, 0.3311},
      {"table-full", 6, 1, 6, "projfgd", 1.6052e-05, 0.0441},
      {"table-full", 6, 1, 10, "rsvp", 6.6328e-06, 0.1203},
      {"table-full", 6, 1, 10, "sparse-approx-sdp", 1.4776e-03, 3.8536},
      {"table-full", 6, 1, 10, "acc-uni-pd-grad", 1.9032e-05, 0.4911},
      {"table-full", 6, 1, 10, "projfgd", 1.1419e-05, 0.0446},
      {"table-full", 8, 1, 3, "rsvp", 1.5774e-04, 5.7347},
      {"table-full", 8, 1, 3, "sparse-approx-sdp", 4.1639e-03, 16.1074},
      {"table-full", 8, 1, 3, "acc-uni-pd-grad", 3.5122e-05, 1.1006},
      {"table-full", 8, 1, 3, "projfgd", 2.4388e-05, 0.6918},
      {"table-full", 8, 1, 6, "rsvp", 5.2470e-05, 3.8649},
      {"table-full", 8, 1, 6, "sparse-approx-sdp", 2.2011e-03, 33.7608},
      {"table-full", 8, 1, 6, "acc-uni-pd-grad", 2.4634e-05, 1.8428},
      {"table-full", 8, 1, 6, "projfgd", 1.5431e-05, 0.8994},
      {"table-full", 8, 1, 10, "rsvp", 2.9583e-05, 4.6548},
      {"table-full", 8, 1, 10, "sparse-approx-sdp", 1.7631e-03, 85.0633},
      {"table-full", 8, 1, 10, "acc-uni-pd-grad", 1.7719e-05, 3.9440},
      {"table-full", 8, 1, 10, "projfgd", 1.0561e-05, 1.8804},
      {"table-full", 10, 1, 3, "rsvp", 4.6056e-04, 379.8635},
      {"table-full", 10, 1, 3, "sparse-approx-sdp", 3.6310e-03, 658.7082},
      {"table-full", 10, 1, 3, "acc-uni-pd-grad", 3.0456e-05, 33.3585},
      {"table-full", 10, 1, 3, "projfgd", 9.2352e-06, 13.9547},
      {"table-full", 10, 1, 6, "rsvp", 1.8017e-04, 331.1315},
      {"table-full", 10, 1, 6, "sparse-approx-sdp", 2.1911e-03, 1326.5374},
      {"table-full", 10, 1, 6, "acc-uni-pd-grad", 1.9931e-05, 56.9693},
      {"table-full", 10, 1, 6, "projfgd", 5.8515e-06, 19.3982},
      {"table-full", 10, 1, 10, "rsvp", 9.7585e-05, 307.9554},
      {"table-full", 10, 1, 10, "sparse-approx-sdp", 1.7687e-03, 2245.2301},
      {"table-full", 10, 1, 10, "acc-uni-pd-grad", 4.5022e-05, 88.2965},
      {"table-full", 10, 1, 10, "projfgd", 1.0460e-05, 49.4528},
      {"table-full", 12, 1, 3, "rsvp", 4.7811e-03, 14029.1525},
      {"table-full", 12, 1, 3, "sparse-approx-sdp", 3.1717e-03, 13635.4238},
      {"table-full", 12, 1, 3, "acc-uni-pd-grad", 8.8050e-05, 461.2084},
      {"table-full", 12, 1, 3, "projfgd", 8.4761e-06, 266.8203},
      {"table-full", 12, 1, 6, "rsvp", 1.0843e-03, 15028.2836},
      {"table-full", 12, 1, 6, "sparse-approx-sdp", 3.6954e-03, 15041.6235},
      {"table-full", 12, 1, 6, "acc-uni-pd-grad", 5.2367e-05, 904.0507},
      {"table-full", 12, 1, 6, "projfgd", 4.7399e-06, 440.7193},
      {"table-full", 12, 1, 10, "rsvp", 5.6169e-04, 15067.7249},
      {"table-full", 12, 1, 10, "sparse-approx-sdp", 5.0197e-03, 15051.4497},
      {"table-full", 12, 1, 10, "acc-uni-pd-grad", 4.5660e-05, 1759.6698},
      {"table-full", 12, 1, 10, "projfgd", 1.1871e-05, 1159.2885},
      {"table-random", 10, 1, 3, "rsvp", 4.5667e-04, 545.5525},
      {"table-random", 10, 1, 3, "sparse-approx-sdp", 3.7592e-03, 646.3486},
      {"table-random", 10, 1, 3, "acc-uni-pd-grad", 3.6465e-05, 24.8531},
      {"table-random", 10, 1, 3, "projfgd", 7.0096e-06, 19.5502},
      {"table-random", 10, 1, 6, "rsvp", 1.8550e-05, 0.3791, column_of_q6_c6},
      {"table-random", 10, 1, 6, "sparse-approx-sdp", 2.2469e-03, 4.3775, column_of_q6_c6},
      {"table-random", 10, 1, 6, "acc-uni-pd-grad", 2.4064e-05, 0.3311, column_of_q6_c6},
      {"table-random", 10, 1, 6, "projfgd", 1.6052e-05, 0.0441, column_of_q6_c6},
      {"table-random", 10, 1, 10, "rsvp", 1.5774e-04, 5.7347, column_of_q8_c3},
      {"table-random", 10, 1, 10, "sparse-approx-sdp", 4.1639e-03, 16.1074, column_of_q8_c3},
      {"table-random", 10, 1, 10, "acc-uni-pd-grad", 3.5122e-05, 1.1006, column_of_q8_c3},
      {"table-random", 10, 1, 10, "projfgd", 2.4388e-05, 0.6918, column_of_q8_c3},
  };
  return figures;
}

const PaperFigure* find_paper_figure(const std::string& where, int qubits, Index rank, double csam,
                                     const std::string& method) {
  for (const PaperFigure& f : paper_figures()) {
    if (where == f.where && f.qubits == qubits && f.rank == rank && f.csam == csam &&
        method == f.method) {
      return &f;
    }
  }
  return nullptr;
}

std::vector<std::string> paper_slips() {
  return {
      "The paper writes m = C r n log n; its own numbers of measurements are m = C r n, which is "
      "taken here.",
      "The paper writes n = 8096 for q = 13; it is 8192.",
      "The paper's start is the best rank-r part of -A*(y); meant is that of -grad f(0) = A*(y), "
      "scaled by 1/L.",
      "The stopping rule compares Frobenius norms here, 2-norms in the paper: for r = 1 this stops "
      "later, never earlier.",
  };
}

}  // namespace projfgd
