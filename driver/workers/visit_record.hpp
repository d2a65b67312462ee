// Visits and points as the driver has them: the members of record/visit.def and point_line.def,
// checked as they are read, whether a worker has just sent the line or a file holds it.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/harness/harness.hpp"
#include "core/point.hpp"
#include "record/fields.hpp"

namespace syncmeter {

/// A cost of which nothing is known.
inline constexpr interval unknown{0, -std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::infinity()};

namespace objects {

#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
struct estimates {
#include "record/estimate.def"
};
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
struct lane_waits {
#include "record/lane_waits.def"
};
/// One visit in a state; its line has it as a list.
struct by_visit {
  std::uint64_t visit = 0;
  double cost_ns = 0;
  std::uint64_t rounds = 0;
  double host_cost_ns = 0;  ///< 0: not known
};
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
struct states {
#include "record/state.def"
};
struct quiet_probe {
  std::vector<double> floor_ns, median_ns;  ///< of each lane
};
struct additivity {
  std::optional<bool> additive;
};
using rounds = std::array<double, 2>;  ///< span of the baseline and of the test sample, ns
struct census {};                      ///< the driver reads it in no visit

}  // namespace objects

/// What a visit found in one placement state.
using estimate_record = objects::estimates;

struct visit_record {
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
#include "record/visit.def"
};

/// A line of kind `point`.
struct point_record {
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
#include "record/point_line.def"
};

/// "stopped_by" of the visit lines that the driver writes in a worker's place.
inline constexpr std::string_view stopped_by_crash = "crash";
inline constexpr std::string_view stopped_by_timeout = "timeout";
inline constexpr std::string_view stopped_by_giving_up = "not_tried";

/// Whether a visit with this status is its point's last: the worker's word on a point would be the
/// same next time. A crash or a hang may not happen again.
[[nodiscard]] bool settles(const visit_record& visit);

/// The visit that a line holds. Throws std::invalid_argument with what is wrong with it, in half a
/// sentence. Members that the record does not have may be anything.
[[nodiscard]] visit_record read_visit(const nlohmann::json& line);

/// The same of a line of kind `point`.
[[nodiscard]] point_record read_point(const nlohmann::json& line);

/// What is wrong with a visit line; empty when nothing is.
[[nodiscard]] std::string flaw_in_visit(const nlohmann::json& line);

/// The same of the answer to a request: it is of the point and the visit that were asked for, and
/// holds what the request's answer must.
[[nodiscard]] std::string flaw_in_answer(const nlohmann::json& line, const nlohmann::json& request);

}  // namespace syncmeter
