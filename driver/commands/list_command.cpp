// `syncmeter list`: ops x backends, and why what is missing is missing.
#include "driver/commands/list_command.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "driver/results/catalogue.hpp"
#include "driver/text/columns.hpp"
#include "driver/text/parse_axes.hpp"
#include "driver/workers/find_workers.hpp"
#include "driver/workers/known_backends.hpp"

namespace syncmeter {
namespace {

/// One op of one backend: what its supported entries have together.
struct offer {
  std::string backend, op, family, pairing, note;
  std::vector<std::string> types, orders, placements, scopes, flavours, spaces, sizes;
};

void add_word_once(std::vector<std::string>& words, std::string_view word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.emplace_back(word);
}

std::vector<offer> offers_of(const std::vector<worker_info>& workers) {
  std::vector<offer> offers;
  for (const worker_info& worker : workers) {
    for (const capability& row : worker.capabilities) {
      if (!row.supported) continue;
      auto found = std::find_if(offers.begin(), offers.end(), [&](const offer& o) {
        return o.backend == row.backend && o.op == row.op;
      });
      if (found == offers.end()) {
        found = offers.insert(
            offers.end(),
            {row.backend, row.op, row.family, row.pairing, row.note, {}, {}, {}, {}, {}, {}, {}});
      }
      if (row.type) add_word_once(found->types, to_text(*row.type));
      if (row.order != order::unordered || row.family == "fence")
        add_word_once(found->orders, to_text(row.order));
      for (const placement p : row.placements) {
        if (p != placement::none) add_word_once(found->placements, to_text(p));
      }
      if (row.scope != scope::none) add_word_once(found->scopes, to_text(row.scope));
      if (row.flavour != flavour::none) add_word_once(found->flavours, to_text(row.flavour));
      if (row.space != space::none) add_word_once(found->spaces, to_text(row.space));
      if (!row.size_of.empty()) add_word_once(found->sizes, row.size_of);
      if (row.size != 0) add_word_once(found->sizes, fmt::to_string(row.size));
    }
  }
  std::stable_sort(offers.begin(), offers.end(), [](const offer& a, const offer& b) {
    return std::tuple(family_rank(a.family), a.family, facts_of(a.op).rank, a.op, a.backend) <
           std::tuple(family_rank(b.family), b.family, facts_of(b.op).rank, b.op, b.backend);
  });
  return offers;
}

std::string offer_table(const std::vector<offer>& offers) {
  columns table({{"op"},
                 {"backend"},
                 {"pairing"},
                 {"types"},
                 {"orders, default first"},
                 {"placements"},
                 {"scopes"},
                 {"flavours"},
                 {"spaces"},
                 {"size"},
                 {"note"}});
  std::string family;
  for (const offer& o : offers) {
    if (o.family != family) table.heading(o.family);
    family = o.family;
    table.row({o.op, o.backend, o.pairing, join(o.types, " "), join(o.orders, " "),
               join(o.placements, " "), join(o.scopes, " "), join(o.flavours, " "),
               join(o.spaces, " "), join(o.sizes, " "), o.note});
  }
  return table.text();
}

/// What one op lacks for one reason, in words: "atomic_min_hold (float double; seq_cst)". Axes of
/// which everything is missing go without saying.
struct lack {
  std::vector<std::string> types, orders, scopes, flavours;
};

std::string unsupported_text(const std::vector<worker_info>& workers) {
  std::map<std::tuple<std::string, std::string>, std::map<std::string, lack>> by_reason;
  std::map<std::string, lack> listed;
  for (const worker_info& worker : workers) {
    for (const capability& row : worker.capabilities) {
      const auto note = [&row](lack& l) {
        if (row.type) add_word_once(l.types, to_text(*row.type));
        add_word_once(l.orders, to_text(row.order));
        add_word_once(l.scopes, to_text(row.scope));
        add_word_once(l.flavours, to_text(row.flavour));
      };
      note(listed[row.backend + " " + row.op]);
      if (!row.supported) note(by_reason[{row.backend, row.reason}][row.op]);
    }
  }
  std::string text;
  for (const auto& [key, ops] : by_reason) {
    const auto& [backend, reason] = key;
    std::vector<std::string> names;
    for (const auto& [op, lacking] : ops) {
      const lack& all = listed[backend + " " + op];
      std::vector<std::string> parts;
      for (const auto axis : {&lack::types, &lack::orders, &lack::scopes, &lack::flavours}) {
        if ((lacking.*axis).size() < (all.*axis).size()) parts.push_back(join(lacking.*axis, " "));
      }
      names.push_back(parts.empty() ? op : fmt::format("{} ({})", op, join(parts, "; ")));
    }
    text += fmt::format("  {}: {}: {}\n", backend, reason.empty() ? "no reason given" : reason,
                        join(names));
  }
  return text.empty() ? "" : "\nNot supported\n" + text;
}

std::string missing_text(const std::vector<worker_info>& workers) {
  std::string text;
  for (const worker_info& worker : workers) {
    for (const auto& [backend, problem] : worker.backend_problems)
      text += fmt::format("  {}: {}\n", backend, problem);
    if (worker.problem.empty()) continue;
    text += fmt::format("  {}: {}", worker.name, worker.problem);
    for (const known_backend& known : known_backends()) {
      if (known.name == worker.name) text += fmt::format("; install {}", known.install);
    }
    text += "\n";
  }
  return text.empty() ? "" : "\nNot usable\n" + text;
}

}  // namespace

std::string list_text(const std::vector<worker_info>& workers) {
  const std::vector<offer> offers = offers_of(workers);
  return (offers.empty() ? "No backend can be used here.\n" : offer_table(offers)) +
         unsupported_text(workers) + missing_text(workers);
}

int list_command(const std::vector<std::string>& arguments, std::FILE* out) {
  const list_request request = parse_list_command(arguments);
  if (request.help) {
    std::fputs(list_help().c_str(), out);
    return 0;
  }
  std::vector<std::string> wanted = request.backends;
  if (wanted.empty()) {
    for (const known_backend& known : known_backends()) wanted.push_back(known.name);
  }
  std::vector<worker_info> workers = find_workers(wanted);
  if (!request.backends.empty()) {
    const auto asked_for = [&](const std::string& name) {
      return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    };
    for (worker_info& worker : workers) {
      if (asked_for(worker.name)) continue;
      std::erase_if(worker.capabilities,
                    [&](const capability& row) { return !asked_for(row.backend); });
      std::erase_if(worker.backend_problems,
                    [&](const auto& entry) { return !asked_for(entry.first); });
      worker.problem.clear();
    }
  }
  std::fputs(list_text(workers).c_str(), out);
  return 0;
}

}  // namespace syncmeter
