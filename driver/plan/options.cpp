// The command line of each sub-command: Boost.Program_options splits it into words, parse_axes
// checks every word, and both say what was wrong in one sentence.
#include "driver/plan/options.hpp"

#include <functional>
#include <limits>
#include <sstream>
#include <type_traits>

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/plan/option_tables.hpp"
#include "driver/studies/studies.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

namespace po = boost::program_options;

std::vector<std::string> long_names(const po::options_description& description) {
  std::vector<std::string> names;
  for (const auto& option : description.options()) names.push_back("--" + option->long_name());
  return names;
}

// Boost's own messages name neither what is allowed nor, for some errors, the option.
po::variables_map parse(const std::vector<std::string>& arguments,
                        const po::options_description& description,
                        const po::positional_options_description& positional,
                        const po::options_description& hidden) {
  po::options_description all;
  all.add(description).add(hidden);
  try {
    po::variables_map given;
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(
        po::command_line_parser(arguments).options(all).positional(positional).style(style).run(),
        given);
    return given;
  } catch (const po::unknown_option& error) {
    std::string name = error.get_option_name();
    throw usage_error(unknown_name("command line", "option", name, long_names(description)));
  } catch (const po::multiple_occurrences& error) {
    throw usage_error(
        fmt::format("{}: given more than once; write several values as one list: a,b,c",
                    error.get_option_name()));
  } catch (const po::too_many_positional_options_error&) {
    throw usage_error("command line: too many arguments without an option; see --help");
  } catch (const po::invalid_command_line_syntax& error) {
    const bool missing = error.kind() == po::invalid_syntax::missing_parameter;
    throw usage_error(fmt::format("{} {}", error.get_option_name(),
                                  missing ? "needs a value; see --help" : "takes no value"));
  } catch (const po::error& error) {
    throw usage_error(fmt::format("command line: {}", error.what()));
  }
}

po::variables_map parse(const std::vector<std::string>& arguments,
                        const po::options_description& description) {
  const po::variables_map given = parse(arguments, description, {}, {});
  return given;
}

void refuse_selection_with_resume(const po::variables_map& given) {
  for (const auto& [name, value] : given) {
    if (value.defaulted() || name == "resume" || name == "retry" || name == "budget" ||
        name == "list-workers" || name == "csv")
      continue;
    throw usage_error(
        fmt::format("--{}: cannot be combined with --resume, which takes points and settings from "
                    "the results file; allowed with it: --retry, --budget, --csv",
                    name));
  }
}

std::string shown(const po::options_description& description) {
  std::ostringstream text;
  text << description;
  return text.str();
}

std::string file_name(const char* option, const std::string& text) {
  if (text.empty()) throw usage_error(fmt::format("{}: the file name is empty", option));
  return text;
}

}  // namespace

run_request parse_run(const std::vector<std::string>& arguments) {
  const po::variables_map given = parse(arguments, run_description());
  if (given.count("help") != 0) return {.options = {}, .help = true};
  if (given.count("resume") != 0) refuse_selection_with_resume(given);

  run_options o;
  const auto with = [&given](const char* name, const auto& use) {
    if (given.count(name) != 0) use("--" + std::string(name), given[name].as<std::string>());
  };
  with("study", [&](const auto& option, const auto& text) {
    if (!find_study(text)) throw usage_error(unknown_name(option, "study", text, study_names()));
    o.study = text;
  });
  const study& chosen = *find_study(o.study);
  if (chosen.pace) {
    o.precision = chosen.pace->precision;
    o.max_time_s = chosen.pace->max_time_s;
    o.min_sample_us = chosen.pace->min_sample_us;
  }
  o.gpu_max_time_s = chosen.gpu.max_time_s.value_or(o.max_time_s);
  with("backend",
       [&](const auto& option, const auto& text) { o.backends = parse_list(option, text); });
  with("op", [&](const auto& option, const auto& text) { o.ops = parse_list(option, text); });
  with("type", [&](const auto& option, const auto& text) {
    o.types = parse_names<value_type>(option, "type", text);
  });
  with("placement", [&](const auto& option, const auto& text) {
    o.placements = parse_names_but_none<placement>(option, "placement", text);
  });
  with("lanes", [&](const auto& option, const auto& text) { o.lanes = parse_lanes(option, text); });
  with("stride",
       [&](const auto& option, const auto& text) { o.strides = parse_strides(option, text); });
  with("base-offset", [&](const auto& option, const auto& text) {
    o.base_offsets = parse_base_offsets(option, text);
  });
  with("cells", [&](const auto& option, const auto& text) { o.cells = parse_cells(option, text); });
  with("affinity", [&](const auto& option, const auto& text) {
    o.affinities = parse_names<affinity>(option, "affinity", text);
  });
  with("pus", [&](const auto& option, const auto& text) { o.pus = parse_pus(option, text); });
  with("home", [&](const auto& option, const auto& text) {
    o.homes = parse_names_but_none<home>(option, "home", text);
  });
  with("order", [&](const auto& option, const auto& text) {
    o.orders = parse_names<order>(option, "order", text);
  });
  with("wait", [&](const auto& option, const auto& text) {
    o.waits = parse_names<wait_policy>(option, "wait policy", text);
  });
  with("late",
       [&](const auto& option, const auto& text) { o.lates_us = parse_lates_us(option, text); });
  with("size", [&](const auto& option, const auto& text) { o.sizes = parse_sizes(option, text); });
  with("blocks",
       [&](const auto& option, const auto& text) { o.blocks = parse_blocks(option, text); });
  with("scope", [&](const auto& option, const auto& text) {
    o.scopes = parse_names_but_none<scope>(option, "scope", text);
  });
  with("flavour", [&](const auto& option, const auto& text) {
    o.flavours = parse_names_but_none<flavour>(option, "flavour", text);
  });
  with("space", [&](const auto& option, const auto& text) {
    o.spaces = parse_names_but_none<space>(option, "space", text);
  });
  with("active",
       [&](const auto& option, const auto& text) { o.actives = parse_actives(option, text); });
  with("device", [&](const auto& option, const auto& text) {
    o.device = static_cast<unsigned>(parse_count(option, text, 0, 1023));
  });
  with("precision",
       [&](const auto& option, const auto& text) { o.precision = parse_share(option, text); });
  with("max-time", [&](const auto& option, const auto& text) {
    o.max_time_s = o.gpu_max_time_s = parse_seconds(option, text);
  });
  with("min-sample", [&](const auto& option, const auto& text) {
    o.min_sample_us = parse_seconds(option, text) * 1e6;
  });
  with("visits", [&](const auto& option, const auto& text) {
    o.visits = static_cast<unsigned>(parse_count(option, text, 1, 1000));
  });
  with("budget",
       [&](const auto& option, const auto& text) { o.budget_s = parse_seconds(option, text); });
  with("output",
       [&](const auto& option, const auto& text) { o.output = file_name(option.c_str(), text); });
  with("resume",
       [&](const auto& option, const auto& text) { o.resume = file_name(option.c_str(), text); });
  with("csv",
       [&](const auto& option, const auto& text) { o.csv = file_name(option.c_str(), text); });
  with("topology",
       [&](const auto& option, const auto& text) { o.topology = file_name(option.c_str(), text); });
  with("seed", [&](const auto& option, const auto& text) {
    o.seed = parse_count(option, text, 0, std::numeric_limits<std::uint64_t>::max());
  });
  o.waves = given["waves"].as<bool>();
  o.additivity = given["additivity"].as<bool>();
  o.oversubscribe = given["oversubscribe"].as<bool>();
  o.interleave_backends =
      given["interleave-backends"].as<bool>() || chosen.counterparts_only || !chosen.also.empty();
  o.retry = given["retry"].as<bool>();
  o.dry_run = given["dry-run"].as<bool>();
  o.list_workers = given["list-workers"].as<bool>();
  if (o.min_sample_us * 1e-6 >= o.max_time_s) {
    throw usage_error(fmt::format("--min-sample: {:g}us must be shorter than --max-time ({:g}ms)",
                                  o.min_sample_us, o.max_time_s * 1e3));
  }
  if (!o.pus.empty() && !(o.lanes.empty() && o.affinities.empty())) {
    throw usage_error(fmt::format("--pus: cannot be combined with --{}; --pus already sets the "
                                  "number of lanes and their placement",
                                  o.lanes.empty() ? "affinity" : "lanes"));
  }
  if (o.retry && !o.resume) throw usage_error("--retry: needs --resume FILE");
  return {.options = o, .help = false};
}

show_request parse_show(const std::vector<std::string>& arguments) {
  po::options_description hidden;
  hidden.add_options()("file", po::value<std::string>());
  po::positional_options_description positional;
  positional.add("file", 1);
  const po::variables_map given = parse(arguments, show_description(), positional, hidden);
  if (given.count("help") != 0) return {.file = {}, .csv = {}, .help = true};
  if (given.count("file") == 0)
    throw usage_error("show: no results file given; use syncmeter show FILE");
  show_request request{.file = given["file"].as<std::string>(), .csv = {}, .help = false};
  if (given.count("csv") != 0) request.csv = file_name("--csv", given["csv"].as<std::string>());
  return request;
}

list_request parse_list_command(const std::vector<std::string>& arguments) {
  const po::variables_map given = parse(arguments, list_description());
  list_request request{.backends = {}, .help = given.count("help") != 0};
  if (given.count("backend") != 0)
    request.backends = parse_list("--backend", given["backend"].as<std::string>());
  return request;
}

namespace {

constexpr const char* about_the_report =
    "\nBelow the table, syncmeter-report adds ratios, sizes and verdicts. SYNCMETER_REPORT in "
    "the\nenvironment is the path of that program if it is not found, or off to leave its text "
    "out.\n";

}  // namespace

std::string run_help() {
  std::string text =
      "syncmeter run [options]: measures the points of a study and prints a table\n\nStudies\n";
  for (const study& s : studies()) text += fmt::format("  {:<13} {}\n", s.name, s.purpose);
  return text + "\n" + shown(run_description()) +
         "\nSeparate the elements of a LIST by commas, without spaces. Exit status: 0 success, 1 a "
         "point\nfailed, 2 wrong usage.\n" +
         about_the_report;
}

std::string show_help() {
  return "syncmeter show FILE [options]: prints a results file as a table\n\n" +
         shown(show_description()) + about_the_report;
}

std::string list_help() {
  return "syncmeter list [options]: the ops of each backend, and why others are not supported\n\n" +
         shown(list_description());
}

}  // namespace syncmeter
