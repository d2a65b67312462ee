#include "driver/workers/capability_flaws.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "driver/text/quote.hpp"

namespace syncmeter {
namespace {

using flaws = std::vector<std::string>;

// As a value of --backend or --op, and as a part of an environment's or a file's name.
bool is_safe_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](const char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string unsafe(const char* what, const std::string& name) {
  return fmt::format("the name of {} {} must be of a-z, 0-9, \"_\" and \"-\"", what, quote(name));
}

std::string entry_of(const capability& entry) {
  std::string text = fmt::format("op {}", quote(entry.op));
  if (entry.type) text += fmt::format(", {}", to_text(*entry.type));
  if (entry.order != order::unordered) text += fmt::format(", {}", to_text(entry.order));
  return text;
}

void check_backends(const worker_info& info, flaws& found) {
  if (info.backends.empty()) found.emplace_back("\"backends\" is empty");
  std::set<std::string> seen;
  for (const std::string& name : info.backends) {
    if (!is_safe_name(name)) found.push_back(unsafe("backend", name));
    if (!seen.insert(name).second)
      found.push_back(fmt::format("backend {} is there twice", quote(name)));
    const auto native = info.native_of.find(name);
    if (native != info.native_of.end() && native->second == name)
      found.push_back(fmt::format("backend {} is portable and its own native one", quote(name)));
    const bool measures = std::any_of(
        info.capabilities.begin(), info.capabilities.end(),
        [&](const capability& entry) { return entry.backend == name && entry.supported; });
    if (!measures && !info.backend_problems.contains(name))
      found.push_back(
          fmt::format("backend {} supports no op, and no \"problem\" says why", quote(name)));
  }
}

void check_entry(const capability& entry, const worker_info& info, flaws& found) {
  const auto say = [&](const std::string& what) {
    found.push_back(fmt::format("{}: {}", entry_of(entry), what));
  };
  if (!is_safe_name(entry.op)) found.push_back(unsafe("op", entry.op));
  if (std::find(info.backends.begin(), info.backends.end(), entry.backend) == info.backends.end())
    say(fmt::format("its backend {} is not one of \"backends\"", quote(entry.backend)));
  if (entry.family.empty()) say("\"family\" is empty");
  if (!entry.supported) {
    if (entry.reason.empty()) say("it is not supported, and no \"reason\" says why");
    return;
  }
  const bool has_cell = std::any_of(entry.placements.begin(), entry.placements.end(),
                                    [](const placement where) { return where != placement::none; });
  if (has_cell && !entry.type && !info.gpus.contains(entry.backend))
    say("it has cells, and no \"type\" says of what");
  if (!entry.code.empty() && entry.code.size() != 2)
    say(fmt::format("\"code\" has {} hashes, not those of the baseline and the test loop",
                    entry.code.size()));
}

void check_entries(const worker_info& info, flaws& found) {
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  for (const capability& entry : info.capabilities) {
    check_entry(entry, info, found);
    // A GPU's form has more to it than what is told apart here.
    if (info.gpus.contains(entry.backend)) continue;
    const std::string form = entry.type ? std::string(to_text(*entry.type)) : std::string{};
    const std::string axes =
        fmt::format("{} {} {} {} {} {}", to_text(entry.order), to_text(entry.scope),
                    to_text(entry.flavour), to_text(entry.space), entry.some_lanes, entry.size);
    std::vector<placement> placements = entry.placements;
    if (placements.empty()) placements.push_back(placement::none);
    for (const placement where : placements) {
      const std::string spot = fmt::format("{} {}", axes, to_text(where));
      if (!seen.insert({entry.backend, entry.op, form, spot}).second)
        found.push_back(fmt::format("{}: it is there twice", entry_of(entry)));
    }
  }
}

}  // namespace

std::vector<std::string> capability_flaws(const nlohmann::json& line, const worker_info& info) {
  flaws found;
  const nlohmann::json name = line.value("worker", nlohmann::json());
  if (name != info.name)
    found.push_back(fmt::format("\"worker\" is {}, but the program is syncmeter-{}",
                                quote(name.dump(-1, ' ', true)), info.name));
  if (const auto& id = info.build.at("id"); id == "")
    found.emplace_back("the build's \"id\" is empty");
  check_backends(info, found);
  check_entries(info, found);
  return found;
}

}  // namespace syncmeter
