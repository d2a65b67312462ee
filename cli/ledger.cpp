#include "cli/ledger.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>

#include "cli/results.hpp"
#include "core/point.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

bool is_failure(std::string_view status) { return status == "failed" || status == "timeout"; }

// Lines of a file that somebody may have edited: a member of another kind counts as missing.
std::string text_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

// The worker's word on a point would be the same next time. A crash or a hang may not happen again.
bool settles(std::string_view status, const json& line) {
  constexpr std::array<std::string_view, 3> final_statuses{"unsupported", "elided", "too_slow"};
  if (std::find(final_statuses.begin(), final_statuses.end(), status) != final_statuses.end()) return true;
  return status == "failed" && text_in(line, "stopped_by") != stopped_by_crash;
}

}  // namespace

ledger::ledger(const std::vector<planned_point>& points, const std::map<std::string, std::string>& build_ids) {
  for (const planned_point& planned : points) {
    point_state state{.text = canonical(planned.what), .keys = {}};
    const auto build = build_ids.find(planned.what.backend);
    json line{{"point", planned.what}};
    for (unsigned visit = 1; visit <= planned.visits; ++visit) {
      line["visit"] = visit;
      state.keys.push_back(visit_key(line, build == build_ids.end() ? std::string{} : build->second));
      place_by_key_.emplace(state.keys.back(), place{states_.size(), visit});
    }
    states_.push_back(std::move(state));
  }
}

void ledger::record(const json& visit_line) {
  const std::string key = text_in(visit_line, "key");
  const auto known = place_by_key_.find(key);
  if (known == place_by_key_.end()) return;
  const std::string status = text_in(visit_line, "status");
  status_by_key_[key] = status;
  point_state& state = states_[known->second.point];
  if (settles(status, visit_line)) state.settled = true;
  const auto trips = visit_line.find("trips");
  if (!is_failure(status) && trips != visit_line.end() && trips->is_number_unsigned() &&
      *trips <= std::numeric_limits<std::uint32_t>::max()) {
    state.trips = trips->get<std::uint32_t>();
  }
}

void ledger::forget_failures() {
  for (auto entry = status_by_key_.begin(); entry != status_by_key_.end();) {
    if (is_failure(entry->second)) {
      states_[place_by_key_.at(entry->first).point].settled = false;
      entry = status_by_key_.erase(entry);
    } else {
      ++entry;
    }
  }
}

bool ledger::wants(std::size_t point, unsigned visit) const {
  const point_state& state = states_[point];
  return !state.settled && visit <= state.keys.size() && !status_by_key_.contains(state.keys[visit - 1]);
}

std::size_t ledger::remaining() const {
  std::size_t count = 0;
  for (const point_state& state : states_) {
    if (state.settled) continue;
    count += static_cast<std::size_t>(std::count_if(state.keys.begin(), state.keys.end(), [this](const std::string& key) {
      return !status_by_key_.contains(key);
    }));
  }
  return count;
}

std::size_t ledger::failed_points() const {
  std::set<std::size_t> failed;
  for (const auto& [key, status] : status_by_key_) {
    if (is_failure(status)) failed.insert(place_by_key_.at(key).point);
  }
  return failed.size();
}

const std::string& ledger::key(std::size_t point, unsigned visit) const {
  return states_[point].keys.at(visit - 1);
}

}  // namespace syncmeter
