// One function for each table or figure; src/jobs/reproduce.cpp lists them.
#pragma once

#include <string>
#include <vector>

#include "projfgd/io/table.hpp"
#include "reproduce_cells.hpp"

namespace projfgd {

std::optional<Reproduction> reproduce_table_q13(CellRunner& runner);
std::optional<Reproduction> reproduce_table_rank(CellRunner& runner);
std::optional<Reproduction> reproduce_table_full(CellRunner& runner);
std::optional<Reproduction> reproduce_table_random(CellRunner& runner);
std::optional<Reproduction> reproduce_figure_convergence(CellRunner& runner);
std::optional<Reproduction> reproduce_figure_timing(CellRunner& runner);
std::optional<Reproduction> reproduce_figure_phase(CellRunner& runner);
std::optional<Reproduction> reproduce_figure_xi(CellRunner& runner);

/// A reproduction with its rows, notes and first section still to come; `sizes` are those that were
/// run, for its title.
Reproduction begin_reproduction(const std::string& name, const CellRunner& runner,
                                const std::string& sizes);

/// Puts the rows in the record, the table in the page and the notes in both.
void finish_reproduction(Reproduction& r, Json rows, const std::vector<TableColumn>& columns,
                         const std::vector<std::string>& notes);

}  // namespace projfgd
