#include "driver/campaign/program_figure.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "driver/text/line_reader.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

/// Limits the text on each side, because std::regex may not end on a long text.
constexpr std::size_t sight_of_figure = 40;

/// Matches digits, with or without a separator behind (groups 1 and 2), or a sign (group 3).
const std::regex& part_before() {
  static const std::regex found("([0-9]+)([.,:'_])?$|(?:^|[\\s=:(,])(-)$");
  return found;
}

/// Matches digits, with or without a separator before (the group), an exponent, or "m5" in "2m5".
const std::regex& part_behind() {
  static const std::regex found("^([.,:'_])?[0-9]+|^[eE][-+]?[0-9]+|^[A-Za-z]+[0-9]+");
  return found;
}

/// Returns whether the metric, outside its group, contains the separator between the number and its
/// neighbour.
bool names_separator(std::string_view metric, std::string_view separator) {
  const std::size_t open = metric.find('('), close = metric.find(')');
  if (open >= close || close == metric.npos || separator.empty()) return false;
  const std::string what = separator == "." ? "\\." : std::string(separator);
  return metric.substr(0, open).find(what) != metric.npos ||
         metric.substr(close).find(what) != metric.npos;
}

std::string unit_behind(std::string_view behind) {
  const auto begin = std::min(behind.find_first_not_of(' '), behind.size());
  const auto is_of_unit = [](unsigned char c) {
    return std::isalpha(c) != 0 || c == '%' || c == '/' || c >= 0x80;
  };
  const auto end = std::find_if_not(behind.begin() + static_cast<std::ptrdiff_t>(begin),
                                    behind.end(), is_of_unit);
  return std::string(behind.begin() + static_cast<std::ptrdiff_t>(begin), end);
}

/// The report of a search process.
struct search_result {
  bool is_found = false;
  metric_match at{};
};

struct search {
  const std::string& text;
  const std::regex& regex;
  unsigned longest_s;
  int report;
};

void run_search(const search& of) {
  const auto& [text, regex, longest_s, report] = of;
  search_result result;
  try {
    std::smatch found;
    result.is_found = std::regex_search(text, found, regex);
    if (result.is_found) {
      const std::size_t group = found.size() > 1 ? 1 : 0;
      const auto match = static_cast<std::size_t>(found.position(0));
      result.at = {.match = match,
                   .match_end = match + static_cast<std::size_t>(found.length(0)),
                   .group = static_cast<std::size_t>(found.position(group)),
                   .group_length = static_cast<std::size_t>(found.length(group))};
    }
  } catch (const std::exception&) {
    ::_exit(1);
  }
  [[maybe_unused]] const ssize_t written = ::write(report, &result, sizeof result);
}

/// Searches and ends the process, after the limit by SIGALRM. The recursive search of libstdc++
/// needs stack for each character. The kernel leaves 128 MB below a stack, enough for lines with
/// some 100 KB.
[[noreturn]] void search_and_end(const search& of) {
  constexpr rlim_t stack_bytes = 512U << 20U;
  ::signal(SIGALRM, SIG_DFL);
  ::alarm(of.longest_s);
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < stack_bytes) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, stack_bytes);
    (void)::setrlimit(RLIMIT_STACK, &limit);
  }
  run_search(of);
  ::_exit(0);
}

}  // namespace

metric_expression::metric_expression(const std::string& expression, unsigned longest_search_s)
    : expression_(expression), longest_search_s_(longest_search_s) {
  constexpr std::size_t longest_expression = 1000;
  if (expression.size() > longest_expression)
    throw usage_error(fmt::format("--metric: {} has {} characters; {} are allowed",
                                  quote(expression), expression.size(), longest_expression));
  try {
    regex_.assign(expression, std::regex::ECMAScript | std::regex::multiline);
  } catch (const std::regex_error&) {
    throw usage_error(fmt::format("--metric: {} is not a regular expression", quote(expression)));
  }
}

std::optional<metric_match> metric_expression::find_in(const std::string& text,
                                                       std::string& problem) const {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("--metric: pipe: {}", std::strerror(errno)));
  const unique_fd from(ends[0]);
  unique_fd to(ends[1]);
  const pid_t searcher = ::fork();
  if (searcher < 0)
    throw std::runtime_error(fmt::format("--metric: fork: {}", std::strerror(errno)));
  if (searcher == 0)
    search_and_end(
        {.text = text, .regex = regex_, .longest_s = longest_search_s_, .report = to.get()});
  to.reset();
  search_result result;
  ssize_t got = 0;
  while ((got = ::read(from.get(), &result, sizeof result)) < 0 && errno == EINTR) {
  }
  int ended = 0;
  while (::waitpid(searcher, &ended, 0) < 0 && errno == EINTR) {
  }
  if (got == static_cast<ssize_t>(sizeof result))
    return result.is_found ? std::optional(result.at) : std::nullopt;
  problem = WIFSIGNALED(ended) && WTERMSIG(ended) == SIGALRM
                ? fmt::format("wrote a text in which the search for --metric {} does not end "
                              "within {} s: use a simpler expression",
                              quote(expression_), longest_search_s_)
                : fmt::format("wrote a text that is too long for --metric {}: use a simpler "
                              "expression, or shorter lines",
                              quote(expression_));
  return std::nullopt;
}

program_figure read_figure(const std::string& text, std::size_t at, std::size_t length,
                           std::size_t match, std::size_t match_end, std::string_view metric) {
  const std::string group = text.substr(at, length);
  char* end = nullptr;
  program_figure figure{.value = std::strtod(group.c_str(), &end)};
  const std::string none =
      fmt::format("wrote {} where --metric looks for a number above 0", quote(group));
  if (end == group.c_str()) return {.problem = none};
  const std::size_t first = at + std::min(group.find_first_not_of(" \t\r\n\v\f"), group.size());
  const std::size_t last = at + static_cast<std::size_t>(end - group.c_str());
  const std::string number = text.substr(first, last - first);
  const std::size_t seen_from = first - std::min(first, sight_of_figure);
  const std::string before = text.substr(seen_from, first - seen_from),
                    behind = text.substr(last, sight_of_figure);
  figure.unit = unit_behind(behind);

  std::size_t whole_from = first, whole_to = last;
  std::smatch found;
  if (std::regex_search(before, found, part_before())) {
    const std::string separator = found.str(2);
    if (first - separator.size() < match || !names_separator(metric, separator))
      whole_from = seen_from + static_cast<std::size_t>(found.position(found[1].matched ? 1 : 3));
  }
  if (std::regex_search(behind, found, part_behind())) {
    const std::string separator = found.str(1);
    if (last + separator.size() > match_end || !names_separator(metric, separator))
      whole_to = last + static_cast<std::size_t>(found.length());
  }
  if (!(figure.value > 0) || !std::isfinite(figure.value)) figure.problem = none;
  if (whole_from < first || whole_to > last)
    figure.problem = fmt::format("wrote {}, of which --metric would read {}: have it print one "
                                 "number in one unit, or the expression name the separator outside "
                                 "its parentheses",
                                 quote(text.substr(whole_from, whole_to - whole_from)), number);
  return figure;
}

}  // namespace syncmeter
