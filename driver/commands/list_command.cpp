// `syncmeter list`: ops x backends, and why missing ops are missing.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "driver/commands/commands.hpp"
#include "driver/results/op_facts.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

/// A backend's op: the union of the supported entries.
struct offer {
  std::string backend, op, family, pairing, note;
  std::array<std::vector<std::string>, 7> values{};  ///< on axes_shown
};
constexpr std::array<const char*, 7> axes_shown{"types",    "orders", "placements", "scopes",
                                                "flavours", "spaces", "sizes"};

std::vector<offer> offers_of(const std::vector<worker_info>& workers) {
  std::vector<offer> offers;
  for (const worker_info& worker : workers) {
    for (const capability& row : worker.capabilities) {
      if (!row.supported) continue;
      auto found = std::ranges::find_if(
          offers, [&](const offer& o) { return o.backend == row.backend && o.op == row.op; });
      if (found == offers.end())
        found = offers.insert(found, {row.backend, row.op, row.family, row.pairing, row.note});
      auto& [types, orders, placements, scopes, flavours, spaces, sizes] = found->values;
      if (row.type) add_once(types, to_text(*row.type));
      if (row.order != order::unordered || row.family == "fence")
        add_once(orders, to_text(row.order));
      for (const placement p : row.placements)
        if (p != placement::none) add_once(placements, to_text(p));
      if (row.scope != scope::none) add_once(scopes, to_text(row.scope));
      if (row.flavour != flavour::none) add_once(flavours, to_text(row.flavour));
      if (row.space != space::none) add_once(spaces, to_text(row.space));
      if (!row.size_of.empty()) add_once(sizes, row.size_of);
      if (row.size != 0) add_once(sizes, fmt::to_string(row.size));
    }
  }
  std::ranges::stable_sort(offers, [](const offer& a, const offer& b) {
    return std::tuple(family_rank(a.family), a.family, facts_of(a.op).rank, a.op, a.backend) <
           std::tuple(family_rank(b.family), b.family, facts_of(b.op).rank, b.op, b.backend);
  });
  return offers;
}

std::string wide_table(const std::vector<offer>& offers) {
  std::vector<columns::column> titles;
  for (const char* title : {"op", "backend", "pairing", "types", "orders, default first",
                            "placements", "scopes", "flavours", "spaces", "size", "note"})
    titles.push_back({title});
  columns table(std::move(titles));
  std::string family;
  for (const offer& o : offers) {
    if (o.family != family) table.heading(o.family);
    family = o.family;
    std::vector<std::string> cells{o.op, o.backend, o.pairing};
    for (const auto& values : o.values) cells.push_back(join(values, " "));
    cells.push_back(o.note);
    table.row(std::move(cells));
  }
  return table.text();
}

/// Returns "\n" and the text in lines of the narrow form, all indented.
std::string indented(const std::string& text, std::size_t indent) {
  return fmt::format("\n{:{}}{}", "", indent, wrapped(text, indent, usual_width));
}

/// Returns the values that a family's ops can have: "types int32 double; orders relaxed seq_cst".
std::string family_values(std::span<const offer> family) {
  std::string text;
  for (std::size_t axis = 0; axis < axes_shown.size(); ++axis) {
    std::vector<std::string> values;
    for (const offer& o : family)
      for (const std::string& value : o.values.at(axis)) add_once(values, value);
    // A size has a name with a few words, every other value a single word.
    const char* const between = axes_shown.at(axis) == std::string_view("sizes") ? " or " : " ";
    if (!values.empty())
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", axes_shown.at(axis),
                          join(values, between));
  }
  return text;
}

/// Prints a family with the ops' values, then a line for each op with backends and note.
std::string narrow_table(const std::vector<offer>& offers) {
  struct op_line {
    std::string op, backends, note;
  };
  std::string text;
  for (auto first = offers.begin(); first != offers.end();) {
    const auto last = std::find_if(first, offers.end(),
                                   [&](const offer& o) { return o.family != first->family; });
    std::vector<op_line> lines;
    std::size_t op_width = 0, backends_width = 0;
    for (auto o = first; o != last; ++o) {
      if (lines.empty() || lines.back().op != o->op) lines.push_back({o->op, o->backend, o->note});
      else lines.back().backends += " " + o->backend;
      op_width = std::max(op_width, o->op.size());
      backends_width = std::max(backends_width, lines.back().backends.size());
    }
    text += (text.empty() ? "" : "\n") + first->family;
    if (const std::string values = family_values({first, last}); !values.empty())
      text += ": " + wrapped(values, first->family.size() + 2, usual_width);
    const std::size_t note_column = op_width + backends_width + 6;
    std::string note;
    for (const op_line& l : lines) {
      std::string line =
          fmt::format("\n  {:<{}}  {:<{}}", l.op, op_width, l.backends, backends_width);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line;
      const std::string shown = !l.note.empty() && l.note == note ? "as above" : l.note;
      note = l.note;
      if (shown.empty()) continue;
      if (note_column + 24 > usual_width) text += indented(shown, 6);
      else
        text += fmt::format("{:{}}", "", note_column + 1 - line.size()) +
                wrapped(shown, note_column, usual_width);
    }
    text += "\n";
    first = last;
  }
  return text;
}

/// Returns a line below the table: a name, and a text about it.
std::string line_of(const std::string& name, const std::string& text, bool wide) {
  const std::string line = fmt::format("{}: {}", name, text);
  return "  " + (wide ? line : wrapped(line, 4, usual_width - 2)) + "\n";
}

/// The entries that one op lacks for the same reason, in words: "atomic_min_hold (float double;
/// seq_cst)". Leaves out axes on which every value is missing.
struct lack {
  std::vector<std::string> types, orders, scopes, flavours;
};

std::string unsupported_text(const std::vector<worker_info>& workers, bool wide) {
  std::map<std::tuple<std::string, std::string>, std::map<std::string, lack>> by_reason;
  std::map<std::string, lack> listed;
  for (const worker_info& worker : workers) {
    for (const capability& row : worker.capabilities) {
      const auto note = [&row](lack& l) {
        if (row.type) add_once(l.types, to_text(*row.type));
        add_once(l.orders, to_text(row.order));
        add_once(l.scopes, to_text(row.scope));
        add_once(l.flavours, to_text(row.flavour));
      };
      note(listed[row.backend + " " + row.op]);
      if (!row.supported) note(by_reason[{row.backend, row.reason}][row.op]);
    }
  }
  std::string text;
  std::map<std::string, std::vector<std::string>> backends_lacking;
  for (const auto& [key, ops] : by_reason) {
    const auto& [backend, reason] = key;
    std::vector<std::string> names;
    for (const auto& [op, lacking] : ops) {
      const lack& all = listed[backend + " " + op];
      std::vector<std::string> parts;
      for (const auto axis : {&lack::types, &lack::orders, &lack::scopes, &lack::flavours})
        if ((lacking.*axis).size() < (all.*axis).size()) parts.push_back(join(lacking.*axis, " "));
      names.push_back(parts.empty() ? op : fmt::format("{} ({})", op, join(parts, "; ")));
    }
    backends_lacking[fmt::format("{}: {}", reason.empty() ? "no reason given" : reason,
                                 join(names))]
        .push_back(backend);
  }
  std::set<std::pair<std::string, std::string>> lines;
  for (const auto& [lacking, backends] : backends_lacking) lines.emplace(join(backends), lacking);
  for (const auto& [backends, lacking] : lines) text += line_of(backends, lacking, wide);
  return text.empty() ? "" : "\nNot supported\n" + text;
}

std::string missing_text(const std::vector<worker_info>& workers, bool wide) {
  std::string text, looked_for;
  for (const worker_info& worker : workers) {
    for (const auto& [backend, problem] : worker.backend_problems)
      text += line_of(backend, problem, wide);
    if (worker.problem.empty()) continue;
    std::string problem = worker.problem;
    const bool to_build = worker.path.empty() && can_be_built(worker.name);
    // Without programs, every problem names the searched folders: once is enough.
    if (to_build) {
      problem = problem.substr(problem.find(": ") + 2);
    } else if (!wide && worker.path.empty()) {
      looked_for = "  looked for syncmeter-* beside the driver and on PATH (--wide: the folders)\n";
      problem = "no worker";
    }
    for (const known_backend& known : known_backends())
      if (!to_build && known.name == worker.name)
        problem += fmt::format("; install {}", known.install);
    text += line_of(worker.name, problem, wide);
  }
  return text.empty() ? "" : "\nNot usable\n" + text + looked_for;
}

struct list_request {
  std::vector<std::string> backends;  // empty: every backend found
  bool wide = false, help = false;
};

std::vector<option_row> rows_of(list_request& request) {
  return {help_row(request.help),
          value_row("backend", "LIST", "APIs to list (default: every backend with a worker)",
                    request.backends, open_list{known_backend_names()}),
          switch_row("wide",
                     "a row for each operation of each backend, with all of its values; GPU "
                     "operations even where "
                     "no GPU can be used (default: 80 columns, a row for each operation)",
                     request.wide)};
}

/// Keeps only the named backends.
void keep_only(const std::vector<std::string>& backends, std::vector<worker_info>& workers) {
  const auto asked_for = [&](const std::string& name) { return contains(backends, name); };
  for (worker_info& worker : workers) {
    if (asked_for(worker.name)) continue;
    std::erase_if(worker.capabilities,
                  [&](const capability& row) { return !asked_for(row.backend); });
    std::erase_if(worker.backend_problems,
                  [&](const auto& entry) { return !asked_for(entry.first); });
    worker.problem.clear();
  }
}

std::string list_text(const std::vector<worker_info>& workers, bool wide) {
  const std::vector<offer> offers = offers_of(workers);
  const std::string table = wide ? wide_table(offers) : narrow_table(offers);
  return (offers.empty() ? "No backend can be used here.\n" : table) +
         unsupported_text(workers, wide) + missing_text(workers, wide);
}

int list_command(const std::vector<std::string>& arguments, std::FILE* out) {
  list_request request;
  const std::vector<option_row> rows = rows_of(request);
  parse_command_line(arguments, rows);
  if (request.help) {
    fmt::print(out,
               "syncmeter list [options]: lists the operations of each backend, and why others\n"
               "are not supported\n\n{}\nThe values behind a family are those of all its "
               "operations. --wide "
               "prints\nthose of each operation.\n",
               options_text(rows));
    return 0;
  }
  const std::vector<std::string> wanted =
      request.backends.empty() ? known_backend_names() : request.backends;
  std::vector<worker_info> workers = find_workers(wanted);
  if (!request.backends.empty()) keep_only(request.backends, workers);
  else if (!request.wide)
    for (worker_info& worker : workers)  // a GPU's ops, without a GPU
      std::erase_if(worker.capabilities, [&](const capability& row) {
        return worker.backend_problems.contains(row.backend);
      });
  std::fputs(printable(list_text(workers, request.wide), true).c_str(), out);
  return 0;
}

}  // namespace

command list_row() {
  return {.name = "list",
          .purpose = "lists the operations of each backend, and why others are not supported",
          .options = unread_rows<list_request>(rows_of),
          .run = alone(list_command)};
}

}  // namespace syncmeter
