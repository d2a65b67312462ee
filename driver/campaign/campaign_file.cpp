#include "driver/campaign/campaign_file.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "core/point.hpp"
#include "driver/plan/point_groups.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

// The status of visits between the planned visits and a later visit in the file: nobody wants them.
constexpr const char* not_wanted = "none";

bool is_failure(const std::string& status) { return status == "failed" || status == "timeout"; }

// Returns the key's part for the point and the visit's number, or 0 for a missing or absurd number.
std::pair<std::string_view, unsigned> split_key(std::string_view key) {
  constexpr unsigned most_visits = 100'000;
  const std::size_t cut = key.rfind('|') + 1;
  unsigned visit = 0;
  const auto [end, problem] = std::from_chars(key.data() + cut, key.data() + key.size(), visit);
  const bool whole = problem == std::errc{} && end == key.data() + key.size();
  return {key.substr(0, cut), whole && visit <= most_visits ? visit : 0};
}

}  // namespace

using nlohmann::json;

campaign_file::campaign_file(const campaign_plan& plan, const run_options& options,
                             build_ids builds)
    : plan_(plan), builds_(std::move(builds)), visit_log_(plan.points, builds_),
      again_(plan.points), undecided_(plan), keep_rounds_(options.keep_rounds),
      writer_(options.resume
                  ? results_writer::append_to(*options.resume)
                  : results_writer::create(options.output ? *options.output : default_output())) {}

void campaign_file::begin(const campaign_facts& facts) {
  writer_.write(campaign_line(facts, plan_));
  begun_ = true;
  for (json& answer : early_workers_) writer_.write(answer);
  early_workers_.clear();
  write_unmeasured({}, {});
}

campaign_file::resumed_campaign campaign_file::resume(const campaign_identity& now, bool retry) {
  resumed_campaign found;
  const results_file file = reopen(writer_, now, found.note);
  const auto seed = file.campaign.find("seed");
  if (seed != file.campaign.end() && seed->is_number_unsigned())
    found.seed = seed->get<std::uint64_t>();
  found.states = file.campaign.value("states", json::array());
  for (const visit_record& visit : file.visits) {
    visit_log_.record(visit);
    again_.learn(visit);
    undecided_.learn(visit);
  }
  if (retry) visit_log_.forget_failures();
  begun_ = true;
  write_unmeasured(file.same, file.refused);
  return found;
}

// Leaves out lines in the file, because a kill may have come between them.
void campaign_file::write_unmeasured(const std::vector<same_point>& same,
                                     const std::vector<unmeasured_point>& refused) {
  std::set<std::string> present;
  for (const same_point& line : same) present.insert(canonical(line.what));
  for (const unmeasured_point& line : refused) present.insert(canonical(line.what));
  for (const planned_point& planned : plan_.points) {
    for (const point& other : planned.same_as)
      if (!present.contains(canonical(other))) writer_.write(same_line(planned, other));
  }
  for (const refused_point& entry : plan_.refused)
    if (!present.contains(canonical(entry.what))) writer_.write(refused_line(entry));
}

void campaign_file::add_worker(json answer) {
  answer.erase("id");
  answer["kind"] = "worker";
  answer["time"] = utc_now();
  if (begun_) writer_.write(answer);
  else early_workers_.push_back(std::move(answer));
}

visit_record campaign_file::add_visit(std::size_t point, unsigned visit, json line) {
  const auto& what = plan_.points[point].what;
  line.erase("id");
  line["kind"] = "visit";
  line["backend"] = what.backend;
  if (!what.arm.empty()) line["arm"] = what.arm;
  line["build"] = build_of(builds_, what);
  if (plan_.points[point].device) line["device"] = *plan_.points[point].device;
  if (!plan_.points[point].devices.empty())
    line["visited_device"] = device_of(plan_.points[point], visit);
  if (const unsigned queued = plan_.points[point].rounds_at_once; queued > 1)
    line["rounds_at_once"] = queued;
  line["key"] = visit_log_.key(point, visit);
  // Writes facts common to all visits to a point once.
  if (line.contains("census") && !has_census_.insert(point).second) line.erase("census");
  visit_record added = read_visit(line);
  make_lean(line, added, keep_rounds_);
  writer_.write(line);
  visit_log_.record(added);
  again_.learn(added);
  undecided_.learn(added);
  return added;
}

std::string campaign_file::end(const run_totals& totals) {
  std::string restored = writer_.restore();
  if (std::filesystem::is_regular_file(writer_.path()))
    for (const json& line : point_lines(read_results(writer_.path()))) writer_.write(line);
  writer_.write(end_line(totals));
  writer_.flush();
  return restored;
}

visit_log::visit_log(const std::vector<planned_point>& points, const build_ids& builds) {
  for (const planned_point& planned : points) {
    point_state state{.text = canonical(planned.what),
                      .key = visits_key(planned.what, build_of(builds, planned.what)),
                      .statuses = std::vector<std::string>(planned.visits)};
    point_by_key_.emplace(state.key, states_.size());
    remaining_ += state.wanted();
    states_.push_back(std::move(state));
  }
}

std::size_t visit_log::point_state::done() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      statuses, [](const auto& status) { return !status.empty() && status != not_wanted; }));
}

std::size_t visit_log::point_state::wanted() const {
  return settled ? 0 : static_cast<std::size_t>(std::ranges::count(statuses, ""));
}

bool visit_log::point_state::failed() const { return std::ranges::any_of(statuses, is_failure); }

// Keeps the sums current, because they are read between all visits.
template <class Change> void visit_log::update(point_state& state, Change change) {
  done_ -= state.done();
  remaining_ -= state.wanted();
  change(state);
  done_ += state.done();
  remaining_ += state.wanted();
}

void visit_log::record(const visit_record& line) {
  const auto [point_part, visit] = split_key(line.key);
  const auto known = point_by_key_.find(point_part);
  if (known == point_by_key_.end() || visit == 0) return;
  update(states_[known->second], [&, visit = visit](point_state& state) {
    if (visit > state.statuses.size()) state.statuses.resize(visit, not_wanted);
    const std::string status(to_text(line.status));
    state.statuses[visit - 1] = status;
    if (settles(line)) state.settled = true;
    if (!is_failure(status) && line.trips > 0) state.trips = static_cast<std::uint32_t>(line.trips);
  });
}

void visit_log::forget_failures() {
  for (point_state& each : states_) {
    if (!each.failed()) continue;
    update(each, [](point_state& state) {
      for (std::string& status : state.statuses)
        if (is_failure(status)) status.clear();
      state.settled = false;
    });
  }
}

bool visit_log::wants(std::size_t point, unsigned visit) const {
  const point_state& state = states_[point];
  return !state.settled && visit <= state.statuses.size() && state.statuses[visit - 1].empty();
}

unsigned visit_log::last_wanted(std::size_t point) const {
  auto visit = static_cast<unsigned>(states_[point].statuses.size());
  while (visit > 0 && !wants(point, visit)) --visit;
  return visit;
}

bool visit_log::took_too_long(std::size_t point) const {
  const auto& statuses = states_[point].statuses;
  return contains(statuses, "too_slow");
}

std::size_t visit_log::failed_points() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(states_, [](const auto& state) { return state.failed(); }));
}

std::string visit_log::key(std::size_t point, unsigned visit) const {
  return states_[point].key + std::to_string(visit);
}

}  // namespace syncmeter
