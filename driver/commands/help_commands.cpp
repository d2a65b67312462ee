// The table of commands, and its forms beside --help: shell completion scripts (`syncmeter
// completion`) and the manual page (`syncmeter manual`).
#include <array>

#include <fmt/format.h>

#include "driver/commands/commands.hpp"
#include "driver/plan/study.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// An option's argument.
enum class argument { nothing, file, one, several, any };

argument argument_of(const option_row& row) {
  if (row.value.empty()) return argument::nothing;
  if (row.value.starts_with("FILE")) return argument::file;
  if (row.values.empty()) return argument::any;
  return row.value == "LIST" ? argument::several : argument::one;
}

/// Returns help without its default, because menus are narrow.
std::string brief(const option_row& row) { return row.help.substr(0, row.help.find(" (default")); }

std::string option_words(const command& c) {
  std::vector<std::string> words;
  for (const option_row& row : c.options)
    for (std::string& word : spellings(row)) words.push_back(std::move(word));
  return join(words, " ");
}

std::string command_names() {
  std::vector<std::string> names;
  for (const command& c : commands()) names.push_back(c.name);
  return join(names, " ");
}

/// Returns the text for an option's argument: nothing, a file, one value, several values, or any.
std::string by_argument(const option_row& row, const std::array<std::string, 5>& texts) {
  return texts.at(static_cast<std::size_t>(argument_of(row)));
}

std::string bash_case(const command& c, const option_row& row) {
  if (row.value.empty()) return "";
  std::string patterns;
  for (const std::string& word : spellings(row))
    patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", c.name, word);
  const std::string values = shell_word(join(row.values, " "));
  return fmt::format("    {}){} ;;\n", patterns,
                     by_argument(row, {"", " files=1", " words=" + values, " list=" + values, ""}));
}

std::string bash_script() {
  std::string options, words;
  for (const command& c : commands()) {
    for (const option_row& row : c.options) options += bash_case(c, row);
    const bool takes_file = !c.word.empty() && c.words.empty();
    words +=
        fmt::format("    '{} '*) words={}{} ;;\n", c.name,
                    shell_word(option_words(c) + (c.words.empty() ? "" : " " + join(c.words, " "))),
                    takes_file ? "; [[ $current == -* ]] || files=1" : "");
  }
  // Readline splits --type=int32 into three words, and inserts the last.
  return fmt::format(R"(# syncmeter {} in bash: made by `syncmeter completion bash`.
_syncmeter() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local words= list= files= last
  [[ $previous == '=' ]] && previous=${{COMP_WORDS[COMP_CWORD-2]}}
  [[ $current == '=' ]] && current=
  COMPREPLY=()
  ((COMP_CWORD == 1)) && words={} || case "${{COMP_WORDS[1]}} $previous" in
{}{}  esac
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ $list ]]; then
    compopt -o nospace 2>/dev/null
    last=${{current##*,}}
    mapfile -t COMPREPLY < <(compgen -P "${{current%"$last"}}" -W "$list" -- "$last")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}}
complete -F _syncmeter syncmeter
)",
                     SM_VERSION, shell_word(command_names() + " --help --version"), options, words);
}

/// Returns text for a menu: zsh gives ':' and brackets a meaning.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string zsh_option(const option_row& row) {
  const std::string values = join(row.values, " ");
  const std::string behind =
      by_argument(row, {"", ":_files", fmt::format(":({})", values),
                        fmt::format(":_values -s , {} {}", row.value, values), ": "});
  std::string text;
  for (const std::string& word : spellings(row)) {
    text += " \\\n      " + shell_word(row.value.empty()
                                           ? fmt::format("{}[{}]", word, zsh_text(brief(row)))
                                           : fmt::format("{}=[{}]:{}{}", word, zsh_text(brief(row)),
                                                         row.value, behind));
  }
  return text;
}

std::string zsh_script() {
  std::string menu, cases;
  for (const command& c : commands()) {
    menu += "      " + shell_word(c.name + ':' + zsh_text(c.purpose)) + '\n';
    cases += fmt::format("    {}) _arguments", c.name);
    for (const option_row& row : c.options) cases += zsh_option(row);
    if (!c.word.empty()) {
      const std::string what = c.words.empty() ? "_files" : '(' + join(c.words, " ") + ')';
      cases += " \\\n      " + shell_word(fmt::format(":{}:{}", c.word, what));
    }
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef syncmeter
# syncmeter {} in zsh: made by `syncmeter completion zsh`.
_syncmeter() {{
  if (( CURRENT == 2 )); then
    local -a commands=(
{}      '--help:what each command does'
      '--version:print the version'
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [[ $funcstack[1] == _syncmeter ]]; then _syncmeter "$@"; else compdef _syncmeter syncmeter; fi
)",
                     SM_VERSION, menu, cases);
}

/// Returns text for roff: a '-' to be copied is "\-", and a line must not begin with a control
/// character.
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

/// Returns a name and its description.
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

const std::vector<std::string>& shells() {
  static const std::vector<std::string> all{"bash", "zsh"};
  return all;
}

std::string completion_notes() {
  return R"(For one shell: source <(syncmeter completion bash). For all of them, write the
script to ~/.local/share/bash-completion/completions/syncmeter (bash), or to
_syncmeter in a folder of $fpath (zsh).
)";
}

int completion_command(const std::vector<std::string>& arguments, std::FILE* out) {
  bool help = false;
  const std::vector<option_row> rows = help_alone(help);
  const std::vector<std::string> words = parse_command_line(arguments, rows, 1);
  std::string text;
  if (help) {
    text = "syncmeter completion SHELL: a script that completes the words of syncmeter in\n" +
           join(shells()) + "\n\n" + options_text(rows) + "\n" + completion_notes();
  } else if (words.empty()) {
    throw usage_error("completion: no shell given; use one of " + join(shells()));
  } else if (words.front() == "bash") {
    text = bash_script();
  } else if (words.front() == "zsh") {
    text = zsh_script();
  } else {
    throw usage_error(unknown_name("completion", "shell", words.front(), shells()));
  }
  return std::fputs(text.c_str(), out) < 0 ? 1 : 0;
}

int manual_command(const std::vector<std::string>& arguments, std::FILE* out) {
  bool help = false;
  const std::vector<option_row> rows = help_alone(help);
  parse_command_line(arguments, rows);
  const std::string text =
      help ? "syncmeter manual: prints the manual page, as in syncmeter manual | man -l -\n\n" +
                 options_text(rows)
           : page();
  return std::fputs(text.c_str(), out) < 0 ? 1 : 0;
}

}  // namespace

command completion_row() {
  return {.name = "completion",
          .purpose = "prints a script that completes these words in a shell",
          .options = unread_rows(help_alone),
          .run = alone(completion_command),
          .word = "SHELL",
          .words = shells(),
          .notes = completion_notes()};
}

command manual_row() {
  return {.name = "manual",
          .purpose = "prints the manual page, for `man -l`",
          .options = unread_rows(help_alone),
          .run = alone(manual_command)};
}

const std::vector<command>& commands() {
  static const std::vector<command> all = [] {
    std::vector<command> rows{run_row(), ab_row(), advise_row(), show_row()};
    for (command& row : report_rows()) rows.push_back(std::move(row));
    for (command (*row)() : {list_row, topology_row, explain_row, census_row, check_worker_row,
                             completion_row, manual_row})
      rows.push_back(row());
    return rows;
  }();
  return all;
}

}  // namespace syncmeter
