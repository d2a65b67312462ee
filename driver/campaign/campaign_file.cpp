#include "driver/campaign/campaign_file.hpp"

#include <filesystem>
#include <utility>

#include "core/point.hpp"
#include "driver/plan/gpus_in_use.hpp"

namespace syncmeter {

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

campaign_file::resumed_campaign campaign_file::go_on(const campaign_identity& now, bool retry) {
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

// But for the lines that the file has: a kill may have come between them.
void campaign_file::write_unmeasured(const std::vector<same_point>& same,
                                     const std::vector<unmeasured_point>& refused) {
  std::set<std::string> present;
  for (const same_point& line : same) present.insert(canonical(line.what));
  for (const unmeasured_point& line : refused) present.insert(canonical(line.what));
  for (const planned_point& planned : plan_.points) {
    for (const point& other : planned.same_as) {
      if (!present.contains(canonical(other))) writer_.write(same_line(planned, other));
    }
  }
  for (const refused_point& entry : plan_.refused) {
    if (!present.contains(canonical(entry.what))) writer_.write(refused_line(entry));
  }
}

void campaign_file::add_worker(json answer) {
  answer.erase("id");
  answer["kind"] = "worker";
  answer["time"] = utc_now();
  if (begun_) {
    writer_.write(answer);
  } else {
    early_workers_.push_back(std::move(answer));
  }
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
  line["key"] = visit_log_.key(point, visit);
  // What is the same in every visit of a point stands once.
  if (line.contains("census") && !has_census_.insert(point).second) line.erase("census");
  visit_record added = read_visit(line);
  make_lean(line, added, keep_rounds_);
  writer_.write(line);
  visit_log_.record(added);
  again_.learn(added);
  undecided_.learn(added);
  return added;
}

void campaign_file::end(const run_totals& totals) {
  if (std::filesystem::is_regular_file(writer_.path())) {
    for (const json& line : point_lines(read_results(writer_.path()))) writer_.write(line);
  }
  writer_.write(end_line(totals));
  writer_.flush();
}

}  // namespace syncmeter
