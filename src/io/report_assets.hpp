// The files that cmake/ProjfgdAssets.cmake put into the library.
#pragma once

#include <string_view>

extern "C" {
extern const char projfgd_asset_plotly[], projfgd_asset_plotly_end[];
extern const char projfgd_asset_report_css[], projfgd_asset_report_css_end[];
extern const char projfgd_asset_report_js[], projfgd_asset_report_js_end[];
}

namespace projfgd::assets {

inline std::string_view plotly_gzip() { return {projfgd_asset_plotly, projfgd_asset_plotly_end}; }
inline std::string_view report_css() {
  return {projfgd_asset_report_css, projfgd_asset_report_css_end};
}
inline std::string_view report_js() {
  return {projfgd_asset_report_js, projfgd_asset_report_js_end};
}

}  // namespace projfgd::assets
