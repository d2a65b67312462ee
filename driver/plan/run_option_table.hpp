// The options of `syncmeter run`: one row of a table each, which its command line, its --help and
// the campaign line of a results file are read from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/plan/options.hpp"
#include "driver/plan/study.hpp"

namespace syncmeter {

/// A row. One without a name is in the campaign line only, one without a member on the command
/// line.
struct run_option {
  std::string name, value, help;      ///< as option_row has them
  std::vector<std::string> values{};  ///< as option_row has them
  std::function<void(run_options&, const std::string& option, const std::string& text)> take{};
  std::string member{};  ///< of "options" in the campaign line
  std::function<nlohmann::json(const run_options&)> written{};
  std::function<void(const nlohmann::json& value, run_options&)> read{};
  bool beside_resume = false;  ///< may be given with --resume
};

/// In the order of --help; the study, whose settings others replace, comes before them.
[[nodiscard]] const std::vector<run_option>& run_option_table();

/// What a study sets unless the user does: precision, times, the order of its visits.
void take_settings_of(const study& chosen, run_options& o);

}  // namespace syncmeter
