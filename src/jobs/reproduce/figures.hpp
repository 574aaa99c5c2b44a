// What src/jobs/reproduce/reproduce.cpp lists: the cells of each table or figure, and what is made
// of them.
#pragma once

#include <string>
#include <vector>

#include "jobs/reproduce/cells.hpp"
#include "projfgd/io/table.hpp"

namespace projfgd {

/// The cells of the paper, or fewer and smaller ones for a quick run.
std::vector<Cell> cells_of_table_q13(bool quick);
std::vector<Cell> cells_of_table_rank(bool quick);
std::vector<Cell> cells_of_table_full(bool quick);
std::vector<Cell> cells_of_table_random(bool quick);
std::vector<Cell> cells_of_figure_convergence(bool quick);
std::vector<Cell> cells_of_figure_timing(bool quick);

/// Each with the cells that are wanted, at least one; the last two have none.
Reproduction reproduce_table(const std::string& name, const std::vector<Cell>& cells,
                             CellRunner& runner);
Reproduction reproduce_table_and_curves(const std::string& name, const std::vector<Cell>& cells,
                                        CellRunner& runner);
Reproduction reproduce_figure_convergence(const std::string& name, const std::vector<Cell>& cells,
                                          CellRunner& runner);
Reproduction reproduce_figure_timing(const std::string& name, const std::vector<Cell>& cells,
                                     CellRunner& runner);
Reproduction reproduce_figure_phase(const std::string& name, const std::vector<Cell>& none,
                                    CellRunner& runner);
Reproduction reproduce_figure_xi(const std::string& name, const std::vector<Cell>& none,
                                 CellRunner& runner);

/// A reproduction with its rows, notes and first section still to come; `sizes` are those that were
/// run, for its title.
Reproduction begin_reproduction(const std::string& name, const CellRunner& runner,
                                const std::string& sizes);

/// Puts the rows in the record, the table in the page and the notes in both, with one on a quick
/// run.
void finish_reproduction(Reproduction& r, Json rows, const std::vector<TableColumn>& columns,
                         std::vector<std::string> notes);

}  // namespace projfgd
