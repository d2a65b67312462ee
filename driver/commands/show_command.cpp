// `syncmeter show FILE`: a results file as the table that its run printed.
#include "driver/commands/commands.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "driver/plan/options.hpp"
#include "driver/plan/study.hpp"
#include "driver/results/campaign_lines.hpp"
#include "driver/results/packed_results.hpp"
#include "driver/results/resume.hpp"
#include "driver/show/report_program.hpp"
#include "driver/show/table.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

std::vector<option_row> show_rows(show_request& request) {
  return {
      help_row(request.help),
      value_row("csv", "FILE", "also write every configuration as CSV (default: none)",
                request.view.csv, &parse_file_name),
      switch_row("force", "--csv may replace a file, but never results (default: off)",
                 request.view.force),
      value_row("op", "LIST",
                "only these operations; * matches any characters, as in atomic_* (default: all)",
                request.view.ops, &parse_list),
      value_row("type", "LIST", "only these types (default: all)", request.view.types,
                names_of_axis<value_type>{"type"}),
      value_row(
          "threads", "LIST",
          "only configurations with so many threads: numbers, ranges and max, the most in the file "
          "(default: all)",
          request.view.lanes, &parse_lanes),
      value_row("sort", "KEY",
                "cost: the lowest first; family: as the operations are listed "
                "(default: family)",
                request.view.sort, one_name{"key", {"cost", "family"}}),
      switch_row("json",
                 "print the configurations as JSON, with the columns of --csv (default: off)",
                 request.view.json),
      switch_row(
          "points",
          "print the estimate of each configuration as the lines that end a results file, and "
          "nothing else (default: off)",
          request.view.points),
      switch_row("complete",
                 "append these lines to FILE if it lacks them: its run was cut off, or "
                 "an older version wrote it (default: off)",
                 request.view.complete),
      switch_row("wide", "print every column, however narrow the terminal is (default: off)",
                 request.view.wide),
      switch_row("verbose", "print every note (default: off)", request.view.verbose)};
}

std::vector<point_summary> chosen_points(const std::vector<point_summary>& points,
                                         const show_view& view) {
  unsigned most = 0;
  for (const point_summary& s : points) most = std::max(most, s.what.lanes);
  const auto one_of = [](const auto& wanted, const auto& matches) {
    return wanted.empty() || std::ranges::any_of(wanted, matches);
  };
  std::vector<point_summary> chosen;
  std::copy_if(points.begin(), points.end(), std::back_inserter(chosen),
               [&](const point_summary& s) {
                 return one_of(view.ops, [&](const auto& name) { return fits(name, s.what.op); }) &&
                        one_of(view.types, [&](value_type type) { return s.what.type == type; }) &&
                        one_of(view.lanes, [&](const count_range& range) {
                          return range.named == count_range::symbol::max
                                     ? s.what.lanes == most
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

// Locks the file before reading, to refuse a campaign that still writes to it.
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
             lacking ? "holds the estimates of its configurations now"
                     : "holds the estimates of its configurations already");
  return 0;
}

int print_point_lines(const std::string& path, std::FILE* out) {
  const results_file file = read_results_to_show(path);
  for (const std::string& left_out : file.left_out)
    print_message(fmt::format("{}: {}", path, left_out));
  for (const nlohmann::json& line : point_lines(file))
    fmt::print(out, "{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return 0;
}

// Returns a terminal screen from the table of points, because the answers are above the table.
std::string beginning_of(const std::string& table, const std::string& file) {
  constexpr std::ptrdiff_t most_lines = 40;
  std::size_t end = 0;
  for (std::ptrdiff_t line = 0; line < most_lines; ++line) {
    const std::size_t next = table.find('\n', end);
    if (next == std::string::npos) return table;
    end = next + 1;
  }
  const auto more = std::count(table.begin() + static_cast<std::ptrdiff_t>(end), table.end(), '\n');
  if (more == 0) return table;
  return fmt::format("{}... {} more lines: syncmeter show {} --wide\n", table.substr(0, end), more,
                     printable(shell_word(file)));
}

}  // namespace

int show_results(const std::string& file, const show_view& view, std::FILE* out) {
  const results_file results = read_results_to_show(file);
  const std::vector<point_summary> points = summarize(results);
  const std::vector<point_summary> shown = chosen_points(points, view);
  if (shown.empty() && !points.empty())
    throw usage_error(
        fmt::format("{}: no configuration is chosen by --op, --type and --threads", file));
  if (view.csv) write_whole(csv_file(view, {file}), to_csv(shown));
  if (view.json) {
    std::fputs(to_json_text(shown).c_str(), out);
  } else {
    page_style style = style_of(::fileno(out));
    if (view.wide) style.width = 0;
    // Notes and report describe the whole file.
    const bool whole = shown.size() == points.size();
    const report_request report{.file = file, .wide = view.wide};
    const bool has_sections = whole && print_sections(report, out);
    const std::string table = point_table(shown, style, view.sort == "cost");
    const bool cut = has_sections && !view.wide && terminal_width(::fileno(out)) != 0;
    std::fputs((cut ? beginning_of(table, file) : table).c_str(), out);
    if (whole) {
      std::fputs(notes_text(results, points, view.verbose, style).c_str(), out);
      print_places(report, has_sections, out);
    }
  }
  const bool any_failed = std::ranges::any_of(points, [](const point_summary& s) {
    return s.status == status::failed || s.status == status::timeout;
  });
  return any_failed ? 1 : 0;
}

show_request parse_show(const std::vector<std::string>& arguments) {
  show_request request;
  const std::vector<std::string> words = parse_command_line(arguments, show_rows(request), 1);
  if (words.empty() && !request.help)
    throw usage_error("show: no results file given; use syncmeter show FILE");
  if (!words.empty()) request.file = words.front();
  return request;
}

namespace {

int show_command(const std::vector<std::string>& arguments, std::FILE* out) {
  const show_request request = parse_show(arguments);
  if (request.help) {
    fmt::print(out, "syncmeter show FILE [options]: prints a results file as a table\n\n{}\n{}",
               options_text(unread_rows(show_rows)), report_notes());
    return 0;
  }
  if (request.view.points) return print_point_lines(request.file, out);
  if (request.view.complete) return complete_file(request.file, out);
  if (request.view.csv) require_writable(csv_file(request.view, {request.file}));
  return show_results(request.file, request.view, out);
}

}  // namespace

command show_row() {
  return {.name = "show",
          .purpose = "prints a results file as `run` did",
          .options = unread_rows(show_rows),
          .run = alone(show_command),
          .word = "FILE",
          .notes = report_notes()};
}

}  // namespace syncmeter
