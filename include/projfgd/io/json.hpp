// JSON in and out.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "projfgd/io/json_fwd.hpp"

namespace projfgd {

/// Parses a file. Nesting beyond 256 levels, repeated keys and numbers too large for a double are
/// refused. Throws InputError naming the file and the place, FileError.
Json read_json(const std::filesystem::path& path);

/// The same from the bytes of a file; `path` is what errors name.
Json parse_json(std::string_view text, const std::filesystem::path& path);

/// Indented text with a final line end. Numbers that are not finite become null.
std::string json_text(const Json& value);

/// The value of a key, with an InputError when it is missing or of another type.
const Json& require_key(const Json& object, const std::string& key,
                        const std::filesystem::path& path);
std::string require_string(const Json& object, const std::string& key,
                           const std::filesystem::path& path);
std::string require_file_name(const Json& object, const std::string& key,
                              const std::filesystem::path& path);  ///< a string, not empty
double require_number(const Json& object, const std::string& key,
                      const std::filesystem::path& path);
std::ptrdiff_t require_integer(const Json& object, const std::string& key,
                               const std::filesystem::path& path);

/// Throws InputError when the object has a key that is not listed: a typing error, most likely.
void allow_keys(const Json& object, std::initializer_list<std::string_view> keys,
                const std::filesystem::path& path);

}  // namespace projfgd
