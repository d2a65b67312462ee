// The protocol of driver and workers (docs/reference/worker-protocol.md): its version, the one
// reader of JSON that somebody else wrote, requests and answers.
#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/harness/harness.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter {

/// What a worker and a driver must have in common.
inline constexpr int protocol_version = 1;
/// What was added since: members that a reader may ignore.
inline constexpr int protocol_minor = 0;

/// Deeper nesting is refused: whatever walks through it calls itself once for each level.
inline constexpr unsigned deepest_json = 64;

/// The value of a text; discarded where it is not JSON, or is nested too deeply.
[[nodiscard]] nlohmann::json read_json(std::string_view text);

struct measure_request {
  point where;
  lane_request lanes;
  bool resumed = false;
  visit_options options;
};

/// OS numbers of PUs, -1 for a lane that is not bound. Throws std::invalid_argument.
[[nodiscard]] std::vector<int> requested_pus(const nlohmann::json& list);

/// `tick_ns` is the smallest step of the host's clock. Throws std::invalid_argument that names the
/// member and what it holds, and what nlohmann::json throws where one is missing.
[[nodiscard]] measure_request read_measure_request(const nlohmann::json& j, double tick_ns);

/// Returns the measured members of a `visit` object (docs/reference/worker-protocol.md): all except
/// "kind", "id", "point", "visit", "time" and members that only the backend knows.
[[nodiscard]] nlohmann::json to_visit_json(const visit_result& result, const op_info& info);

/// {"value":..,"low":..,"high":..}; an infinite bound is null, as JSON has no infinity.
void to_json(nlohmann::json& j, const interval& i);
void from_json(const nlohmann::json& j, interval& i);

/// {"id","compiler","flags"}; the id is a hash over the compiler, the flags and the machine code of
/// every loop of every backend: another id means other measurements.
[[nodiscard]] nlohmann::json build_json(const worker_identity& who,
                                        const std::vector<worker_backend*>& backends);

[[nodiscard]] nlohmann::json capabilities_json(const worker_identity& who,
                                               const std::vector<worker_backend*>& backends);

/// True when baseline and test are the same machine code although the op means them to differ.
[[nodiscard]] bool is_elided(const measurable& row);

}  // namespace syncmeter
