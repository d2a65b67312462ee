// `syncmeter show FILE`: a results file as the table that its run printed.
#include "driver/show/show_command.hpp"

#include <algorithm>

#include "driver/plan/options.hpp"
#include "driver/show/csv.hpp"
#include "driver/show/report_program.hpp"
#include "driver/show/table.hpp"

namespace syncmeter {

int show_results(const std::string& file, const std::string& csv, std::FILE* out) {
  const results_file results = read_results(file);
  const std::vector<point_summary> points = summarize(results);
  std::fputs(summary_text(results, points).c_str(), out);
  if (!csv.empty()) write_csv(csv, points);
  add_report(file, out);
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
  if (request.csv) require_writable(*request.csv);
  return show_results(request.file, request.csv.value_or(""), out);
}

}  // namespace syncmeter
