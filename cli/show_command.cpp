// `syncmeter show FILE`: a results file as the table that its run printed.
#include "cli/show_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cli/csv.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"

namespace syncmeter {
namespace {

// https://no-color.org: any value but an empty one says no.
bool shows_colours(std::FILE* out) {
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return ::isatty(::fileno(out)) == 1 && (refused == nullptr || *refused == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

int show_results(const std::string& file, const std::string& csv, std::FILE* out) {
  const results_file results = read_results(file);
  const std::vector<point_summary> points = summarize(results);
  std::fputs(summary_text(results, points, shows_colours(out)).c_str(), out);
  if (!csv.empty()) write_csv(csv, points);
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
