// Visits and points in the driver: the members of record/visit.def and point_line.def. Reading
// checks each line, whether from a worker or a file.
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

/// An unknown cost.
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
/// One visit in a state. A line stores the visit as a list.
struct by_visit {
  std::uint64_t visit = 0;
  double cost_ns = 0;
  std::uint64_t rounds = 0;
  double host_cost_ns = 0;  ///< 0 = unknown
};
#define SM_MEMBER(name, kind, absent, ...) SM_FIELD_##kind(name, absent)
struct states {
#include "record/state.def"
};
struct quiet_probe {
  std::vector<double> floor_ns, median_ns;  ///< for each lane
};
struct additivity {
  std::optional<bool> additive;
};
using rounds = std::array<double, 2>;  ///< spans of baseline and test sample, ns
struct census {};                      ///< the driver skips this member in visits

}  // namespace objects

/// Results of a visit in one placement state.
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

/// Values for "stopped_by" in visit lines that the driver writes for a worker.
inline constexpr std::string_view stopped_by_crash = "crash";
inline constexpr std::string_view stopped_by_timeout = "timeout";
inline constexpr std::string_view stopped_by_giving_up = "not_tried";

/// Returns whether a visit with this status is the last for its point. A status from the worker
/// would repeat, but a crash or hang may not.
[[nodiscard]] bool settles(const visit_record& visit);

/// Returns the visit in a line. Throws std::invalid_argument with half a sentence about the flaw.
/// Ignores members that the record lacks.
[[nodiscard]] visit_record read_visit(const nlohmann::json& line);

/// Does the same for a line of kind `point`.
[[nodiscard]] point_record read_point(const nlohmann::json& line);

/// Returns the flaw in a visit line, or an empty text.
[[nodiscard]] std::string flaw_in_visit(const nlohmann::json& line);

/// Returns the flaw in an answer, or an empty text. Also checks the point and visit number against
/// the request.
[[nodiscard]] std::string flaw_in_answer(const nlohmann::json& line, const nlohmann::json& request);

}  // namespace syncmeter
