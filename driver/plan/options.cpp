// The command line of `run`, and its options in a results file: --resume plans the same points
// again.
#include "driver/plan/options.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/plan/gpu_plan.hpp"
#include "driver/plan/study.hpp"
#include "driver/text/columns.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

constexpr const char* every_device = "all";

// Converts option values between the campaign line and the form that parse_axes makes from the
// command line.
template <class T> nlohmann::json written_value(const T& value) {
  if constexpr (requires { to_text(value); }) return to_text(value);
  else return value;
}
template <class T> nlohmann::json written_value(const std::vector<T>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const T& value : values) list.push_back(written_value(value));
  return list;
}
template <class T> nlohmann::json written_value(const std::optional<T>& value) {
  return value ? written_value(*value) : nlohmann::json(nullptr);
}

/// Throws exceptions from nlohmann::json or parse_axes, the latter with `member` as the option's
/// name.
template <class T> void read_value(const std::string&, const nlohmann::json& j, T& value) {
  value = j.get<T>();
}
void read_value(const std::string& member, const nlohmann::json& j, double& value) {
  constexpr double most = 1e9;
  value = j.get<double>();
  if (!(value >= 0 && value <= most))
    throw usage_error(fmt::format("{}: {} is not a number from 0 to {:g}", member, value, most));
}
template <class T>
void read_value(const std::string& member, const nlohmann::json& j, std::optional<T>& value) {
  if (j.is_null()) {
    value.reset();
    return;
  }
  T given{};
  read_value(member, j, given);
  value = std::move(given);
}
/// Whole numbers that the command line's parser reads.
template <class T>
constexpr bool is_of_counts =
    std::is_same_v<T, unsigned> || std::is_same_v<T, std::uint64_t> ||
    std::is_same_v<T, std::optional<unsigned>> || std::is_same_v<T, std::vector<unsigned>> ||
    std::is_same_v<T, std::vector<int>>;
template <class T, class Parse>
void read_counts(const std::string& member, const nlohmann::json& j, T& value, const Parse& parse) {
  std::string text;
  for (const nlohmann::json& number : j.is_array() ? j : nlohmann::json::array({j}))
    text += (text.empty() ? "" : ",") + number.dump();
  if (j.is_null() || text.empty()) value = T{};
  else value = parse(member, text);
}

template <class T, class Parse>
void read_texts(const std::string& member, const nlohmann::json& j, std::vector<T>& values,
                Parse parse) {
  values.clear();
  for (const std::string text : j) values.push_back(parse(member, text).front());
}
template <axis_value Enum>
void read_value(const std::string& member, const nlohmann::json& j, std::vector<Enum>& values) {
  read_texts(member, j, values, names_of_axis<Enum>{"name"});
}
void read_value(const std::string& member, const nlohmann::json& j,
                std::vector<count_range>& values) {
  read_texts(member, j, values, member == "blocks" ? &parse_blocks : &parse_lanes);
}

// Returns "5; on a GPU 3; in barrier with more than 128 points 3".
std::string usual_visits() {
  std::string text = fmt::format("{}; on a GPU {}", usual_cpu_visits, usual_gpu_visits);
  for (const study& s : studies()) {
    if (!s.pace || !s.pace->many || s.rules.empty()) continue;
    text += fmt::format("; in {} with more than {} configurations {}", s.name, *s.pace->many,
                        s.pace->visits_of_many);
  }
  return text;
}

/// Whether an option is in the campaign line, and may be given with --resume (options.def).
enum class kept { fixed, free, passing };

struct run_option {
  option_row row;  ///< without its `take`
  kept in_line;
  std::string member;
  std::function<void(run_options&, const std::string& option, const std::string& text)> take;
  std::function<nlohmann::json(const run_options&)> written;
  std::function<void(const nlohmann::json& value, run_options&)> read;
};

constexpr std::nullptr_t none = nullptr;

template <auto Field, class Parse>
run_option make_row(const std::string& member, kept in_line, const char* name, const char* value,
                    Parse parse, const char* help) {
  using field_type = std::remove_cvref_t<decltype(std::declval<run_options&>().*Field)>;
  run_option made{
      .row = {.name = name, .value = value, .help = help, .values = values_of(parse), .take = {}},
      .in_line = in_line,
      .member = member,
      .take = {},
      .written = [](const run_options& o) { return written_value(o.*Field); },
      .read = [member](const nlohmann::json& j,
                       run_options& o) { read_value(member, j, o.*Field); }};
  if constexpr (std::is_same_v<field_type, bool>)
    made.take = [](run_options& o, const auto&, const auto&) { o.*Field = true; };
  else if constexpr (!std::is_same_v<Parse, std::nullptr_t>)
    made.take = [parse](run_options& o, const std::string& option, const std::string& text) {
      o.*Field = parse(option, text);
    };
  // A file may have been edited, so the command line's limits apply to its numbers.
  if constexpr (is_of_counts<field_type>)
    made.read = [parse, member](const nlohmann::json& j, run_options& o) {
      read_counts(member, j, o.*Field, parse);
    };
  return made;
}

auto numbers(unsigned least, unsigned most) {
  return [=](const auto& option, const auto& text) {
    return parse_numbers(option, text, least, most);
  };
}
auto count(std::uint64_t least, std::uint64_t most) {
  return [=](const auto& option, const auto& text) {
    return static_cast<unsigned>(parse_count(option, text, least, most));
  };
}
one_name one_study() { return {"study", study_names()}; }
std::vector<unsigned> devices_or_all(const std::string& option, const std::string& text) {
  return text == every_device ? std::vector<unsigned>{} : parse_numbers(option, text, 0, 1023);
}
double parse_us(const std::string& option, const std::string& text) {
  return parse_seconds(option, text) * 1e6;
}
std::uint64_t parse_seed(const std::string& option, const std::string& text) {
  return parse_count(option, text, 0, std::numeric_limits<std::uint64_t>::max());
}

std::vector<run_option> all_options() {
  using o = run_options;
  return {
#define SM_OPTION(field, type, absent, in_line, name, value, parse, help)                          \
  make_row<&o::field>(#field, kept::in_line, name, value, parse, help),
#include "driver/plan/options.def"
  };
}

// Adds behaviour beyond the value of a field.
void settle(run_option& row) {
  const std::string name = row.row.name;
  if (name == "study") {
    row.row.help += ": " + join(row.row.values) + " (default: quick)";
    row.take = [take = row.take](run_options& o, const auto& option, const auto& text) {
      take(o, option, text);
      take_settings_of(*find_study(text), o);
    };
  } else if (name == "repetitions") {
    row.row.help += fmt::format(" (default: {})", usual_visits());
  } else if (name == "max-time") {
    row.take = [take = row.take](run_options& o, const auto& option, const auto& text) {
      take(o, option, text);
      o.gpu_max_time_s = o.max_time_s;
    };
    // Older files have no member for a GPU's time.
    row.read = [read = row.read](const nlohmann::json& j, run_options& o) {
      read(j, o);
      o.gpu_max_time_s = o.max_time_s;
    };
  } else if (name == "device") {
    row.member = "device";
    row.written = [](const run_options& o) -> nlohmann::json {
      if (o.devices.empty()) return every_device;
      if (o.devices.size() == 1) return o.devices.front();
      return o.devices;
    };
    row.read = [](const nlohmann::json& j, run_options& o) {
      o.devices.clear();
      if (j != every_device) read_counts("device", j, o.devices, numbers(0, 1023));
    };
  }
}

const std::vector<run_option>& option_table() {
  static const std::vector<run_option> rows = [] {
    std::vector<run_option> all = all_options();
    std::ranges::for_each(all, settle);
    return all;
  }();
  return rows;
}

constexpr const char* about_the_report =
    "Above the table, the report prints ratios, sizes and verdicts.\nSYNCMETER_REPORT in the "
    "environment is the path of syncmeter-report if it is not\nfound, or off to leave its text "
    "out.\n";

}  // namespace

std::vector<option_row> run_rows(run_request& request, std::string& refused) {
  std::vector<option_row> rows{help_row(request.help)};
  for (const run_option& each : option_table()) {
    if (each.row.name.empty()) continue;
    rows.push_back(each.row);
    rows.back().take = [&](const std::string& option, const std::string& text) {
      if (each.in_line == kept::fixed && refused.empty()) refused = option;
      each.take(request.options, option, text);
    };
  }
  return rows;
}

void take_settings_of(const study& chosen, run_options& o) {
  const run_options usual;
  o.precision = chosen.pace ? chosen.pace->precision : usual.precision;
  o.max_time_s = chosen.pace ? chosen.pace->max_time_s : usual.max_time_s;
  o.min_sample_us = chosen.pace ? chosen.pace->min_sample_us : usual.min_sample_us;
  o.gpu_max_time_s = chosen.gpu.max_time_s.value_or(o.max_time_s);
  o.interleave_backends = chosen.counterparts_only || !chosen.also.empty();
}

void check_together(const run_options& o, const std::string& refused) {
  if (o.resume && !refused.empty()) {
    throw usage_error(fmt::format(
        "{}: cannot be combined with --resume, which takes configurations and settings from "
        "the results file; allowed with it: --retry, --budget, --csv, --force",
        refused));
  }
  if (o.min_sample_us * 1e-6 >= o.max_time_s) {
    throw usage_error(fmt::format("--min-sample: {:g}us must be shorter than --max-time ({:g}ms)",
                                  o.min_sample_us, o.max_time_s * 1e3));
  }
  if (!o.pus.empty() && !(o.lanes.empty() && o.affinities.empty())) {
    throw usage_error(fmt::format("--cpus: cannot be combined with --{}; --cpus already sets the "
                                  "number of threads and their CPUs",
                                  o.lanes.empty() ? "affinity" : "threads"));
  }
  if (o.retry && !o.resume) throw usage_error("--retry: needs --resume FILE");
}

run_request parse_run(const std::vector<std::string>& arguments) {
  run_request request;
  take_settings_of(*find_study(request.options.study), request.options);
  std::string refused;
  parse_command_line(arguments, run_rows(request, refused));
  if (!request.help) check_together(request.options, refused);
  return request;
}

std::vector<option_row> run_command_rows() {
  static run_request unread;
  static std::string refused;
  return run_rows(unread, refused);
}

std::string report_notes() { return about_the_report; }

std::string run_help() {
  std::string text =
      "syncmeter run [options]: measures a study, prints recommendations and costs\n\nStudies\n";
  for (const study& s : studies())
    text += fmt::format("  {:<13} {}\n", s.name, wrapped(std::string(s.purpose), 16, usual_width));
  run_request request;
  std::string refused;
  return text + "\n" + options_text(run_rows(request, refused)) +
         "\nSeparate the elements of a LIST by commas, without spaces.\nExit status: " +
         exit_statuses + "\n\n" + about_the_report;
}

void to_json(nlohmann::json& j, const run_options& o) {
  j = nlohmann::json::object();
  for (const run_option& row : option_table())
    if (row.in_line != kept::passing) j[row.member] = row.written(o);
}

void from_json(const nlohmann::json& j, run_options& o) {
  o = run_options{};
  for (const run_option& row : option_table())
    if (row.in_line != kept::passing && j.contains(row.member)) row.read(j.at(row.member), o);
}

}  // namespace syncmeter
