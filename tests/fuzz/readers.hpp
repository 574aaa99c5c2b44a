// Every reader of files that users bring, under one name each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace projfgd::test {

/// The names, which are also those of the folders in the corpus.
std::vector<std::string> reader_names();

/// Whether a reader works in a process of its own, as those of HDF5 do.
bool has_processes(std::string_view reader);

/// Gives the bytes to a reader. False when it refused them as it should, with an error of the
/// library; any other exception passes through.
bool read_as(std::string_view reader, std::string_view bytes);

}  // namespace projfgd::test
