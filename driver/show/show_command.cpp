// `syncmeter show FILE`: a results file as the table that its run printed.
#include "driver/show/show_command.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "driver/plan/options.hpp"
#include "driver/plan/study.hpp"
#include "driver/results/campaign_lines.hpp"
#include "driver/results/resume.hpp"
#include "driver/show/csv.hpp"
#include "driver/show/report_program.hpp"
#include "driver/show/table.hpp"
#include "driver/text/quote.hpp"

namespace syncmeter {
namespace {

std::vector<point_summary> chosen_points(const std::vector<point_summary>& points,
                                         const show_view& view) {
  unsigned most = 0;
  for (const point_summary& s : points) most = std::max(most, s.what.lanes);
  const auto one_of = [](const auto& wanted, const auto& matches) {
    return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), matches);
  };
  std::vector<point_summary> chosen;
  std::copy_if(
      points.begin(), points.end(), std::back_inserter(chosen), [&](const point_summary& s) {
        return one_of(view.ops, [&](const auto& name) { return fits(name, s.what.op); }) &&
               one_of(view.types, [&](value_type type) { return s.what.type == type; }) &&
               one_of(view.lanes, [&](const lane_range& range) {
                 return range.max ? s.what.lanes == most
                                  : range.first <= s.what.lanes && s.what.lanes <= range.last;
               });
      });
  return chosen;
}

}  // namespace

output_file csv_file(const show_view& view, std::vector<std::string> inputs) {
  return {.option = "--csv", .path = *view.csv, .force = view.force, .inputs = std::move(inputs)};
}

namespace {

// The file is locked before it is read: a campaign that still writes to it is refused.
int complete_file(const std::string& path, std::FILE* out) {
  results_writer writer = results_writer::append_to(path, "show --complete");
  results_file file = read_results(path);
  const bool lacking = !has_all_point_lines(file);
  if (lacking) {
    cut_torn_tail(writer, file);
    for (const nlohmann::json& line : point_lines(file)) writer.write(line);
    writer.flush();
  }
  fmt::print(out, "{} {}\n", printable(path),
             lacking ? "holds the estimates of its points now"
                     : "holds the estimates of its points already");
  return 0;
}

int print_point_lines(const std::string& path, std::FILE* out) {
  const results_file file = read_results(path);
  for (const std::string& left_out : file.left_out)
    std::fprintf(stderr, "syncmeter: %s: %s\n", printable(path).c_str(),
                 printable(left_out).c_str());
  for (const nlohmann::json& line : point_lines(file))
    fmt::print(out, "{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return 0;
}

}  // namespace

int show_results(const std::string& file, const show_view& view, std::FILE* out) {
  const results_file results = read_results(file);
  const std::vector<point_summary> points = summarize(results);
  const std::vector<point_summary> shown = chosen_points(points, view);
  if (shown.empty() && !points.empty())
    throw usage_error(fmt::format("{}: no point is chosen by --op, --type and --lanes", file));
  if (view.csv) write_whole(csv_file(view, {file}), to_csv(shown));
  if (view.json) {
    std::fputs(to_json_text(shown).c_str(), out);
  } else {
    page_style style = style_of(::fileno(out));
    if (view.wide) style.width = 0;
    std::fputs(point_table(shown, style, view.sort == "cost").c_str(), out);
    // What is said of the whole file is not true of a part of it.
    if (shown.size() == points.size()) {
      std::fputs(notes_text(results, points, view.verbose, style).c_str(), out);
      add_report({.file = file, .wide = view.wide}, out);
    }
  }
  const bool any_failed = std::any_of(points.begin(), points.end(), [](const point_summary& s) {
    return s.status == status::failed || s.status == status::timeout;
  });
  return any_failed ? 1 : 0;
}

int show_command(const std::vector<std::string>& arguments, std::FILE* out) {
  const show_request request = parse_show(arguments);
  if (request.help) {
    std::fputs(show_help().c_str(), out);
    return 0;
  }
  if (request.view.points) return print_point_lines(request.file, out);
  if (request.view.complete) return complete_file(request.file, out);
  if (request.view.csv) require_writable(csv_file(request.view, {request.file}));
  return show_results(request.file, request.view, out);
}

}  // namespace syncmeter
