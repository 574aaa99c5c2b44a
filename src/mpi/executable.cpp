// The program under MPI: the same command line, the same sources.
#include "mpi/mpi_ranks.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  projfgd::MpiRanks ranks(argc, argv);
  std::string complaint;
  const int code = projfgd::run_program(argc, argv, ranks, complaint);
  return ranks.end(code, complaint);
}
