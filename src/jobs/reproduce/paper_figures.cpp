#include "jobs/reproduce/paper_figures.hpp"

#include <array>

namespace projfgd {
namespace {

constexpr const char* times_of_q6_c3 = "the times repeat those of q = 6, C = 3: not of q = 10";
constexpr const char* times_of_q6_c6 = "the times repeat those of q = 6, C = 6: not of q = 10";
constexpr const char* column_of_q6_c6 = "the column repeats q = 6, C = 6 of the big table";
constexpr const char* column_of_q8_c3 = "the column repeats q = 8, C = 3 of the big table";

struct PrintedAt {
  const char* where;
  int qubits;
  Index rank;
  double csam;
};
/// What the paper prints in one cell: error and seconds, in the order of `methods`; 0 for nothing.
struct PrintedCell {
  PrintedAt at;
  std::array<std::array<double, 2>, 4> figures;
  const char* misprint = "";
  bool only_seconds = false;
};

constexpr const char* methods[] = {"rsvp", "sparse-approx-sdp", "acc-uni-pd-grad", "projfgd"};

constexpr PrintedCell cells[] = {
    {{"table-q13", 13, 1, 3}, {{{}, {}, {7.4151e-02, 2354.4552}, {8.6309e-03, 1214.0654}}}},
    {{"table-rank", 10, 5, 3},
     {{{5.15e-02, 0.78}, {3.17e-02, 3.74}, {2.01e-02, 0.36}, {1.20e-02, 0.06}}},
     times_of_q6_c3,
     true},
    {{"table-rank", 10, 20, 3},
     {{{1.71e-02, 0.38}, {5.49e-02, 4.38}, {1.54e-02, 0.33}, {7.12e-03, 0.04}}},
     times_of_q6_c6,
     true},
    {{"table-full", 6, 1, 3},
     {{{5.1496e-05, 0.7848}, {4.6323e-03, 3.7404}, {4.0388e-05, 0.3634}, {2.4116e-05, 0.0599}}}},
    {{"table-full", 6, 1, 6},
     {{{1.8550e-05, 0.3791}, {2.2469e-03, 4.3775}, {2.4064e-05, 0.3311}, {1.6052e-05, 0.0441}}}},
    {{"table-full", 6, 1, 10},
     {{{6.6328e-06, 0.1203}, {1.4776e-03, 3.8536}, {1.9032e-05, 0.4911}, {1.1419e-05, 0.0446}}}},
    {{"table-full", 8, 1, 3},
     {{{1.5774e-04, 5.7347}, {4.1639e-03, 16.1074}, {3.5122e-05, 1.1006}, {2.4388e-05, 0.6918}}}},
    {{"table-full", 8, 1, 6},
     {{{5.2470e-05, 3.8649}, {2.2011e-03, 33.7608}, {2.4634e-05, 1.8428}, {1.5431e-05, 0.8994}}}},
    {{"table-full", 8, 1, 10},
     {{{2.9583e-05, 4.6548}, {1.7631e-03, 85.0633}, {1.7719e-05, 3.9440}, {1.0561e-05, 1.8804}}}},
    {{"table-full", 10, 1, 3},
     {{{4.6056e-04, 379.8635},
       {3.6310e-03, 658.7082},
       {3.0456e-05, 33.3585},
       {9.2352e-06, 13.9547}}}},
    {{"table-full", 10, 1, 6},
     {{{1.8017e-04, 331.1315},
       {2.1911e-03, 1326.5374},
       {1.9931e-05, 56.9693},
       {5.8515e-06, 19.3982}}}},
    {{"table-full", 10, 1, 10},
     {{{9.7585e-05, 307.9554},
       {1.7687e-03, 2245.2301},
       {4.5022e-05, 88.2965},
       {1.0460e-05, 49.4528}}}},
    {{"table-full", 12, 1, 3},
     {{{4.7811e-03, 14029.1525},
       {3.1717e-03, 13635.4238},
       {8.8050e-05, 461.2084},
       {8.4761e-06, 266.8203}}}},
    {{"table-full", 12, 1, 6},
     {{{1.0843e-03, 15028.2836},
       {3.6954e-03, 15041.6235},
       {5.2367e-05, 904.0507},
       {4.7399e-06, 440.7193}}}},
    {{"table-full", 12, 1, 10},
     {{{5.6169e-04, 15067.7249},
       {5.0197e-03, 15051.4497},
       {4.5660e-05, 1759.6698},
       {1.1871e-05, 1159.2885}}}},
    {{"table-random", 10, 1, 3},
     {{{4.5667e-04, 545.5525},
       {3.7592e-03, 646.3486},
       {3.6465e-05, 24.8531},
       {7.0096e-06, 19.5502}}}},
    {{"table-random", 10, 1, 6},
     {{{1.8550e-05, 0.3791}, {2.2469e-03, 4.3775}, {2.4064e-05, 0.3311}, {1.6052e-05, 0.0441}}},
     column_of_q6_c6},
    {{"table-random", 10, 1, 10},
     {{{1.5774e-04, 5.7347}, {4.1639e-03, 16.1074}, {3.5122e-05, 1.1006}, {2.4388e-05, 0.6918}}},
     column_of_q8_c3},
};

}  // namespace

const std::vector<PaperFigure>& paper_figures() {
  static const std::vector<PaperFigure> figures = [] {
    std::vector<PaperFigure> all;
    for (const PrintedCell& cell : cells) {
      for (std::size_t k = 0; k < cell.figures.size(); ++k) {
        const auto [error, seconds] = cell.figures[k];
        if (error == 0) continue;
        const auto& [where, qubits, rank, csam] = cell.at;
        all.push_back({where, qubits, rank, csam, methods[k], error, seconds, cell.misprint,
                       cell.only_seconds});
      }
    }
    return all;
  }();
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

std::vector<std::string> paper_slips(const std::string& where, bool spectral) {
  std::vector<std::string> slips;
  if (where == "table-q13") {
    slips.emplace_back("The paper writes n = 8096 for q = 13; it is 8192.");
  }
  if (spectral) {
    slips.emplace_back(
        "The paper starts from the best rank-r part of -A*(y); here it is that of -grad f(0) = "
        "A*(y), scaled by 1/L.");
  }
  slips.emplace_back(
      "The stopping rule compares Frobenius norms here, 2-norms in the paper: for r = 1 this stops "
      "later, never earlier.");
  return slips;
}

}  // namespace projfgd
