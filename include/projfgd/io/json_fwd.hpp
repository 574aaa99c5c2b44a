// The type of JSON by its name alone, for headers that only pass it on.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace projfgd {

using Json = nlohmann::ordered_json;

}  // namespace projfgd
