// The commands of syncmeter-report as commands of syncmeter: users need one program.
#include <array>
#include <string>
#include <vector>

#include "driver/commands/commands.hpp"
#include "driver/show/report_program.hpp"

namespace syncmeter {
namespace {

struct report_command {
  const char* name;
  const char* purpose;
};

constexpr std::array report_names{
    report_command{"compare", "says what got slower between two results files, or within one"},
    report_command{"fleet", "says which nodes of a cluster differ from the others"},
    report_command{"text", "prints what a results file recommends"},
    report_command{"html", "writes what a results file recommends as one page"},
    report_command{"md", "prints what a results file recommends as Markdown"},
    report_command{"claims", "judges published statements on results files"},
    report_command{"import", "makes a results file from published tables"},
    report_command{"export", "writes every configuration for other programs"},
    report_command{"share", "copies a results file without host, user and paths"}};

}  // namespace

std::vector<command> report_rows() {
  std::vector<command> rows;
  for (const report_command& each : report_names) {
    rows.push_back({.name = each.name,
                    .purpose = each.purpose,
                    .options = unread_rows(help_alone),
                    .run =
                        [name = std::string(each.name)](const std::string&,
                                                        const std::vector<std::string>& arguments,
                                                        std::FILE*) {
                          std::vector<std::string> words{name};
                          words.insert(words.end(), arguments.begin(), arguments.end());
                          return become_report(words);
                        },
                    .word = "FILE"});
  }
  return rows;
}

}  // namespace syncmeter
