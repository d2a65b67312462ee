#include "driver/commands/manual_command.hpp"

#include <fmt/format.h>

#include "driver/commands/commands.hpp"
#include "driver/plan/study.hpp"

namespace syncmeter {
namespace {

/// Text as roff takes it: a '-' to be copied is "\-", and a line must not begin with its controls.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (safe.empty() || safe.back() == '\n')) safe += "\\&";
    if (c == '\\') safe += "\\e";
    else if (c == '-') safe += "\\-";
    else safe += c;
  }
  return safe;
}

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : ".PP\n" + roff(text) + (text.ends_with('\n') ? "" : "\n");
}

/// A name and what it is.
std::string entry(const std::string& name, const std::string& text) {
  return ".TP\n" + name + "\n" + roff(text) + "\n";
}

std::string option_entry(const option_row& row) {
  std::string names;
  for (const std::string& word : spellings(row))
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(word));
  if (!row.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(row.value));
  return entry(names, row.help);
}

std::string command_text(const command& c) {
  std::string text = fmt::format(".SS syncmeter {} [options]{}\n", roff(c.name),
                                 c.word.empty() ? "" : " " + c.word);
  text += roff(c.purpose) + "\n" + paragraph(c.notes);
  for (const option_row& row : c.options) text += option_entry(row);
  return text;
}

std::string page() {
  std::string text =
      fmt::format(".TH SYNCMETER 1 \"\" \"syncmeter {}\" \"User commands\"\n.nh\n.ad l\n"
                  ".SH NAME\nsyncmeter \\- {}\n"
                  ".SH SYNOPSIS\n.B syncmeter\n.I command\n[\\fIoptions\\fR]\n"
                  ".SH DESCRIPTION\nThe first word is a command. Options may stand "
                  "in any order; a value follows "
                  "its option as a word of its own or behind a \"=\".\n"
                  ".SH COMMANDS\n",
                  roff(SM_VERSION), program_purpose);
  for (const command& c : commands()) text += command_text(c);
  text += ".SH STUDIES\n";
  for (const study& s : studies())
    text += entry("\\fB" + roff(std::string(s.name)) + "\\fR", std::string(s.purpose));
  text += fmt::format(".SH EXIT STATUS\n{}\n", roff(exit_statuses));
  return text + ".SH SEE ALSO\n.BR lstopo (1),\n.BR objdump (1)\n";
}

}  // namespace

std::vector<option_row> manual_rows() {
  static bool unread;
  return {help_row(unread)};
}

int manual_command(const std::vector<std::string>& arguments, std::FILE* out) {
  bool help = false;
  const std::vector<option_row> rows{help_row(help)};
  parse_command_line(arguments, rows);
  const std::string text =
      help ? "syncmeter manual: prints the manual page, as in syncmeter manual | man -l -\n\n" +
                 options_text(rows)
           : page();
  return std::fputs(text.c_str(), out) < 0 ? 1 : 0;
}

}  // namespace syncmeter
