// Boost.Program_options splits the command line into words. Its own messages do not name the
// allowed values and sometimes not even the option.
#include "driver/text/command_line.hpp"

#include <sstream>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

namespace po = boost::program_options;

constexpr const char* help_name = "help,h";
constexpr const char* no_option = "words without an option";

std::string long_name(const option_row& row) { return row.name.substr(0, row.name.find(',')); }

po::options_description described(const std::vector<option_row>& rows, std::string_view title) {
  po::options_description all(std::string(title), usual_width, usual_width / 2);
  for (const option_row& row : rows)
    if (row.value.empty()) all.add_options()(row.name.c_str(), row.help.c_str());
    else if (row.repeats)
      all.add_options()(row.name.c_str(),
                        po::value<std::vector<std::string>>()->value_name(row.value),
                        row.help.c_str());
    else
      all.add_options()(row.name.c_str(), po::value<std::string>()->value_name(row.value),
                        row.help.c_str());
  return all;
}

// Removes the blank that Boost leaves before a line break.
std::string without_trailing_blanks(const std::string& text) {
  std::string kept;
  for (const char c : text) {
    if (c == '\n') kept.erase(kept.find_last_not_of(' ') + 1);
    kept += c;
  }
  return kept;
}

std::vector<std::string> all_names(const std::vector<option_row>& rows) {
  std::vector<std::string> names;
  for (const option_row& row : rows) names.push_back("--" + long_name(row));
  return names;
}

po::variables_map parsed(const std::vector<std::string>& arguments,
                         const std::vector<option_row>& rows) {
  po::options_description all = described(rows, "");
  all.add_options()(no_option, po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add(no_option, -1);
  try {
    // Whole names only: an abbreviation would change its meaning with the next option.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::variables_map given;
    po::store(
        po::command_line_parser(arguments).options(all).positional(positional).style(style).run(),
        given);
    return given;
  } catch (const po::unknown_option& error) {
    throw usage_error(
        unknown_name("command line", "option", error.get_option_name(), all_names(rows)));
  } catch (const po::multiple_occurrences& error) {
    throw usage_error(
        fmt::format("{}: given more than once; write several values as one list: a,b,c",
                    error.get_option_name()));
  } catch (const po::invalid_command_line_syntax& error) {
    const bool missing = error.kind() == po::invalid_syntax::missing_parameter;
    throw usage_error(fmt::format("{} {}", error.get_option_name(),
                                  missing ? "needs a value; see --help" : "takes no value"));
  } catch (const po::error& error) {
    throw usage_error(fmt::format("command line: {}", error.what()));
  }
}

}  // namespace

std::vector<std::string> spellings(const option_row& row) {
  std::vector<std::string> all{"--" + long_name(row)};
  const std::size_t comma = row.name.find(',');
  if (comma != std::string::npos) all.push_back("-" + row.name.substr(comma + 1));
  return all;
}

option_row switch_row(std::string name, std::string help, bool& flag) {
  return {.name = std::move(name),
          .value = "",
          .help = std::move(help),
          .take = [&flag](const auto&, const auto&) { flag = true; }};
}

option_row help_row(bool& flag) { return switch_row(help_name, "print this help and exit", flag); }

std::vector<std::string> parse_command_line(const std::vector<std::string>& arguments,
                                            const std::vector<option_row>& rows,
                                            std::size_t words) {
  const po::variables_map given = parsed(arguments, rows);
  for (const option_row& row : rows) {
    const std::string name = long_name(row);
    const po::variable_value& value = given[name];
    if (value.empty()) continue;
    if (row.repeats) {
      for (const auto& text : value.as<std::vector<std::string>>()) row.take("--" + name, text);
      continue;
    }
    row.take("--" + name, row.value.empty() ? "" : value.as<std::string>());
    if (row.name == help_name) return {};  // whatever follows
  }
  if (!given.contains(no_option)) return {};
  const auto& found = given[no_option].as<std::vector<std::string>>();
  if (found.size() > words)
    throw usage_error(
        fmt::format("command line: unexpected argument '{}'; see --help", found[words]));
  return found;
}

std::string options_text(const std::vector<option_row>& rows, std::string_view title) {
  std::ostringstream text;
  text << described(rows, title);
  return without_trailing_blanks(text.str());
}

}  // namespace syncmeter
