// The command line of `syncmeter census`.
#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/census/census_command.hpp"
#include "driver/text/usage_error.hpp"

namespace syncmeter {
namespace {

namespace po = boost::program_options;

constexpr const char* allowed =
    "allowed are --backend, --op, --type, --order, --json, --check, --save and --help";

/// The elements of comma-separated lists; throws for an empty one.
std::vector<std::string> elements(const po::variables_map& values, const std::string& option) {
  std::vector<std::string> list;
  if (!values.contains(option)) return list;
  for (const std::string& text : values[option].as<std::vector<std::string>>()) {
    for (std::size_t first = 0; first <= text.size();) {
      const std::size_t end = std::min(text.find(',', first), text.size());
      list.push_back(text.substr(first, end - first));
      if (list.back().empty()) {
        throw usage_error(fmt::format("--{}: '{}' is a list with an empty element", option, text));
      }
      first = end + 1;
    }
  }
  return list;
}

template <axis_value Enum>
std::vector<Enum> axis_values(const po::variables_map& values, const std::string& option) {
  std::vector<Enum> list;
  for (const std::string& text : elements(values, option)) {
    const auto value = from_text<Enum>(text);
    if (!value) {
      std::string names;
      for (const auto& name : names_of(Enum{})) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name.text);
      }
      throw usage_error(fmt::format("--{}: '{}' is not one of {}", option, text, names));
    }
    list.push_back(*value);
  }
  return list;
}

}  // namespace

census_options parse_census_options(const std::vector<std::string>& arguments) {
  using texts = std::vector<std::string>;
  po::options_description known;
  known.add_options()("backend", po::value<texts>())("op", po::value<texts>())(
      "type", po::value<texts>())("order", po::value<texts>())("json", "")("check", "")("save", "")(
      "help,h", "")("extra", po::value<texts>());
  po::variables_map values;
  try {
    // Whole names only: an abbreviation would change its meaning with the next option.
    const int style =
        po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments)
                  .options(known)
                  .positional(po::positional_options_description().add("extra", -1))
                  .style(style)
                  .run(),
              values);
  } catch (const po::error& mistake) {
    throw usage_error(fmt::format("census: {}; {}", mistake.what(), allowed));
  }
  if (values.contains("extra")) {
    throw usage_error(fmt::format("census: '{}' is not an option; {}",
                                  values["extra"].as<texts>().front(), allowed));
  }
  return {.backends = elements(values, "backend"),
          .ops = elements(values, "op"),
          .types = axis_values<value_type>(values, "type"),
          .orders = axis_values<order>(values, "order"),
          .json = values.contains("json"),
          .check = values.contains("check"),
          .save = values.contains("save"),
          .help = values.contains("help")};
}

}  // namespace syncmeter
