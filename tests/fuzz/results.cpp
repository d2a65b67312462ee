// A results file, compressed or not: read, summarized and shown as `syncmeter show` does, and taken
// up as --resume does. What was read and is written again reads the same.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/worker/protocol.hpp"
#include "driver/campaign/campaign_file.hpp"
#include "driver/campaign/revisits.hpp"
#include "driver/campaign/visit_request.hpp"
#include "driver/results/estimate.hpp"
#include "driver/results/resume.hpp"
#include "driver/show/table.hpp"
#include "driver/text/messages.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::fuzz {
namespace {

// The whole lines that were read, but for those that were left out.
std::string written_again(const results_file& file, std::string_view input) {
  std::string text;
  std::size_t number = 0;
  for (std::size_t at = 0; at < file.whole_bytes; ++number) {
    const std::size_t end = input.find('\n', at);
    const std::string name = "line " + std::to_string(number + 1) + ": ";
    if (std::ranges::none_of(file.left_out, [&](auto& left) { return left.starts_with(name); }))
      text += read_json(input.substr(at, end - at)).dump() + "\n";
    at = end + 1;
  }
  return text;
}

void check_tables(const results_file& file, const std::vector<point_summary>& points) {
  std::size_t rows = 1;
  for (const point_summary& s : points) rows += 1 + s.other_states.size();
  const std::string csv = to_csv(points);
  const auto in_csv = [&csv](char c) { return std::count(csv.begin(), csv.end(), c); };
  promise(in_csv('\n') == static_cast<std::ptrdiff_t>(rows) && in_csv('\r') == in_csv('\n'),
          "a cell of the CSV has an end of a line");
  promise(
      std::ranges::none_of(csv, [](char c) { return c >= 0 && c < ' ' && c != '\n' && c != '\r'; }),
      "a cell of the CSV has a control character");
  promise(nlohmann::json::accept(to_json_text(points)), "show --json prints no JSON");
  for (const bool by_cost : {false, true})
    (void)point_table(points, {.width = by_cost ? usual_width : 0, .colour = by_cost}, by_cost);
  for (const bool verbose : {false, true}) (void)notes_text(file, points, verbose);
}

void take_up(const results_file& file) {
  (void)ends_or_throws<usage_error>([&] { require_same_identity(file, {}); });
  (void)ends_or_throws<std::exception>([&] {
    const auto options = file.campaign.at("options").get<run_options>();
    const nlohmann::json written = options;
    promise(nlohmann::json(written.get<run_options>()) == written,
            "options that were read and written read otherwise");
  });
  (void)backends_planned(file);
  std::vector<planned_point> planned;
  const auto plan = [&](point what) { planned.emplace_back().what = std::move(what); };
  for (const std::string& backend : visited_backends(file))
    plan({.backend = backend, .op = "atomic_add"});
  for (const visit_record& visit : file.visits) plan(visit.point);
  visit_log log(planned, {});
  revisits again(planned);
  quiet_floors floors;
  for (const visit_record& visit : file.visits) {
    log.record(visit);
    again.learn(visit);
    floors.learn(visit);
  }
  (void)again.lacking();
  promise(log.failed_points() <= planned.size(), "more points failed than there are");
}

}  // namespace

void results(std::string_view input) {
  results_file file;
  if (!ends_or_throws<usage_error>([&] { file = results_in("it", std::string(input)); })) return;
  promise(file.compressed || file.whole_bytes <= input.size(), "more bytes than there are");
  std::vector<point_summary> points;
  if (ends_or_throws<usage_error>([&] { points = summarize(file); })) {
    check_tables(file, points);
    if (!file.compressed) {
      const results_file again = results_in("it", written_again(file, input));
      promise(again.left_out.empty() && !again.torn, "a line that was read and written is refused");
      promise(to_csv(summarize(again)) == to_csv(points), "the same lines give another table");
    }
  }
  take_up(file);
}

}  // namespace syncmeter::fuzz
