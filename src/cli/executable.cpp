#include "program.hpp"

int main(int argc, char** argv) { return projfgd::run_program(argc, argv); }
