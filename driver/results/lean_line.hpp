// A visit line as the results file keeps it: a worker's answer says more than anybody reads again.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace syncmeter {

/// Seven significant digits of every number, and of the rounds their costs where they are pooled
/// (on a GPU). `keep_rounds`: the rounds stay as the worker told them.
void make_lean(nlohmann::json& visit_line, bool keep_rounds);

}  // namespace syncmeter
