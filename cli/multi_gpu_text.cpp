// The tables of several GPUs, and what follows from them in sentences.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/columns.hpp"
#include "cli/figures.hpp"
#include "cli/multi_gpu_study.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;
using enum columns::align;

bool is_one_of_these(const point_summary& s) {
  const std::string& op = s.what.op;
  return s.device && (op.starts_with("multi_gpu_") || op.starts_with("remote_") ||
                      op == "gpu_handoff" || op == "cpu_gpu_handoff");
}

std::string ns_text(const point_summary* s) {
  if (s == nullptr) return "";
  if (has_cost(*s)) return nanoseconds(s->cost_ns.value);
  if (has_upper_bound(*s)) return "< " + upper_bound_ns(s->cost_ns.high);
  return std::string(to_text(s->status));
}

using all_points = std::vector<const point_summary*>;

// A table with a row for each key and a column for each value.
template <class Row, class Column> class cross {
 public:
  void put(const Row& row, const Column& column, const point_summary& s) {
    cells_[row].emplace(column, &s);
    columns_.insert(column);
  }
  template <class RowText, class ColumnText>
  [[nodiscard]] std::string text(std::vector<columns::column> titles, const RowText& row_text,
                                 const ColumnText& column_text) const {
    for (const Column& column : columns_) titles.push_back({column_text(column), right});
    columns table(std::move(titles));
    for (const auto& [row, found] : cells_) {
      std::vector<std::string> line = row_text(row);
      for (const Column& column : columns_) {
        const auto cell = found.find(column);
        line.push_back(ns_text(cell == found.end() ? nullptr : cell->second));
      }
      table.row(std::move(line));
    }
    return table.text();
  }
  [[nodiscard]] bool empty() const { return cells_.empty(); }

 private:
  std::map<Row, std::map<Column, const point_summary*>> cells_;
  std::set<Column> columns_;
};

std::string devices_title(unsigned n) { return n == 1 ? "1 device" : fmt::format("{} devices", n); }

std::string with_home(const point& p) {
  return p.home == home::second ? p.op + ", counter on the second" : p.op;
}

// Barriers, by blocks and threads of each device.
std::string barrier_table(const all_points& points) {
  using row = std::tuple<std::string, unsigned, unsigned>;
  cross<row, unsigned> table;
  for (const point_summary* s : points) {
    if (facts_of(*s).family != "barrier") continue;
    table.put({with_home(s->what), s->what.blocks, s->what.lanes}, s->what.size, *s);
  }
  if (table.empty()) return {};
  return "\nBarriers over devices, ns, by blocks and threads on each\n" +
         table.text(
             {{"barrier", left}, {"blocks", right}, {"threads", right}},
             [](const row& r) {
               const auto& [name, blocks, lanes] = r;
               return std::vector{name, fmt::to_string(blocks), fmt::to_string(lanes)};
             },
             &devices_title);
}

// The same barrier with the same launch over fewer devices; null when it was not measured.
const point_summary* over_fewer(const all_points& points, const point_summary& s) {
  const point_summary* most = nullptr;
  for (const point_summary* other : points) {
    point p = other->what;
    const unsigned devices = p.size;
    p.size = s.what.size;
    if (p != s.what || devices >= s.what.size || !has_cost(*other)) continue;
    if (most == nullptr || devices > most->what.size) most = other;
  }
  return most;
}

// The cheapest of the software barriers at each number of devices, and what its step from fewer
// devices costs.
std::string barrier_finding(const all_points& points) {
  std::map<unsigned, const point_summary*> best;
  for (const point_summary* s : points) {
    if (!s->what.op.starts_with("multi_gpu_barrier_") || !has_cost(*s)) continue;
    const point_summary*& least = best[s->what.size];
    if (least == nullptr || s->cost_ns.value < least->cost_ns.value) least = s;
  }
  std::string text;
  for (const auto& [devices, s] : best) {
    const point_summary* const fewer = over_fewer(points, *s);
    text += fmt::format("- cheapest inside kernels over {}: {}, {} blocks of {} threads, {} ns",
                        devices_title(devices), with_home(s->what), s->what.blocks, s->what.lanes,
                        nanoseconds(s->cost_ns.value));
    if (fewer != nullptr && s->cost_ns.value > fewer->cost_ns.value) {
      text += fmt::format("; its step from {} costs {} ns", devices_title(fewer->what.size),
                          nanoseconds(s->cost_ns.value - fewer->cost_ns.value));
    }
    text += "\n";
  }
  return text;
}

std::string_view place_title(home where) {
  if (where == home::second) return "peer";
  return where == home::other ? "host" : "local";
}

std::string remote_table(const all_points& points) {
  using row = std::tuple<std::string, std::string, std::string, unsigned, unsigned, unsigned>;
  cross<row, home> table;
  for (const point_summary* s : points) {
    const point& p = s->what;
    if (!p.op.starts_with("remote_")) continue;
    table.put({p.op, p.type ? std::string(to_text(*p.type)) : "", std::string(to_text(p.scope)),
               p.blocks, p.lanes, p.stride},
              p.home, *s);
  }
  if (table.empty()) return {};
  return "\nAccesses of one device, ns per access of a lane, by where the cells lie\n" +
         table.text(
             {{"access", left},
              {"type", left},
              {"scope", left},
              {"blocks", right},
              {"threads", right},
              {"stride", right}},
             [](const row& r) {
               const auto& [op, type, scope, blocks, lanes, stride] = r;
               return std::vector{op,
                                  type,
                                  scope,
                                  fmt::to_string(blocks),
                                  fmt::to_string(lanes),
                                  stride == 0 ? std::string("one cell") : fmt::to_string(stride)};
             },
             [](home where) { return std::string(place_title(where)); });
}

// The shares of the devices in the visit that was taken last; empty for one device.
std::string shares_of(const results_file& file, const point& what) {
  std::string text;
  for (const json& visit : file.visits) {
    if (!visit.contains("device_shares") || visit.at("point").get<point>() != what) continue;
    text.clear();
    for (const json& share : visit.at("device_shares"))
      text += fmt::format("{}{:.2f}", text.empty() ? "" : " ", share.get<double>());
  }
  return text;
}

std::string contention_table(const results_file& file, const all_points& points) {
  columns table({{"devices", right},
                 {"blocks", right},
                 {"threads", right},
                 {"ns/add", right},
                 {"adds/s", right},
                 {"fair", right},
                 {"device's rate over the mean", left}});
  bool any = false;
  for (const point_summary* s : points) {
    if (s->what.op != "multi_gpu_fetch_add" || !has_cost(*s)) continue;
    any = true;
    const double lanes = static_cast<double>(s->what.size) * s->what.blocks * s->what.lanes;
    table.row({fmt::to_string(s->what.size), fmt::to_string(s->what.blocks),
               fmt::to_string(s->what.lanes), nanoseconds(s->cost_ns.value),
               engineering(lanes * 1e9 / s->cost_ns.value), fmt::format("{:.3f}", s->fairness),
               shares_of(file, s->what)});
  }
  if (!any) return {};
  return "\nAdds by all lanes of all devices to one cell of the first\n" + table.text() +
         "  until the slowest device has done as many as the others: it is by itself at the end. "
         "fair: "
         "Jain's index over the devices\n";
}

/// What the litmus of a point counted: words that were old, of those looked at.
struct litmus_count {
  std::uint64_t seen = 0, looked_at = 0;
  litmus_count& operator+=(const litmus_count& more) {
    seen += more.seen;
    looked_at += more.looked_at;
    return *this;
  }
};
// Two sides look at two words each in a round.
constexpr std::uint64_t words_of_a_round = 4;

std::optional<litmus_count> litmus_of(const results_file& file, const point& what) {
  for (const json& visit : file.visits) {
    if (!visit.contains("litmus_seen") || visit.at("point").get<point>() != what) continue;
    return litmus_count{visit.at("litmus_seen").get<std::uint64_t>(),
                        words_of_a_round * visit.value("litmus_rounds", std::uint64_t{0})};
  }
  return std::nullopt;
}

std::string handoff_table(const results_file& file, const all_points& points) {
  columns table({{"handoff", left},
                 {"flavour", left},
                 {"order", left},
                 {"scope", left},
                 {"ns one way", right},
                 {"stale data", right}});
  bool any = false;
  litmus_count unordered, by_device;
  for (const point_summary* s : points) {
    const point& p = s->what;
    if (p.op != "gpu_handoff" && p.op != "cpu_gpu_handoff") continue;
    any = true;
    const auto count = litmus_of(file, p);
    if (count && p.scope == scope::device && p.op == "gpu_handoff") by_device += *count;
    if (count && p.order == order::relaxed) unordered += *count;
    table.row({p.op, std::string(to_text(p.flavour)), std::string(to_text(p.order)),
               std::string(to_text(p.scope)), ns_text(s),
               count ? fmt::format("{} of {}", count->seen, count->looked_at) : ""});
  }
  if (!any) return {};
  const auto told = [](std::string_view what, const litmus_count& count) -> std::string {
    if (count.looked_at == 0) return {};
    return count.seen > 0 ? fmt::format("- {}: stale data were seen {} times: it is not enough\n",
                                        what, count.seen)
                          : fmt::format("- {}: no stale data were seen, which proves nothing: the "
                                        "memory model promises no order\n",
                                        what);
  };
  return "\nHandoffs of a token, with data that it guards\n" + table.text() +
         told("device scope between devices", by_device) + told("a flag without order", unordered);
}

std::string links_text(const results_file& file) {
  std::string text;
  std::set<std::pair<int, int>> told;
  for (const json& visit : file.visits) {
    for (const json& link : visit.value("links", json::array())) {
      const int from = link.value("from", 0), to = link.value("to", 0);
      if (!told.emplace(from, to).second) continue;
      text += fmt::format("  {} to {}: {}peer access, {}native atomics, performance rank {}", from,
                          to, link.value("peer_access", false) ? "" : "no ",
                          link.value("native_atomics", false) ? "" : "no ",
                          link.value("performance_rank", 0));
      if (const unsigned links = link.value("nvlinks", 0U); links > 0)
        text += fmt::format(", {} NVLinks of device {} up", links, from);
      text += "\n";
    }
  }
  return text.empty() ? text : "\nDevices and their links\n" + text;
}

}  // namespace

std::string multi_gpu_text(const results_file& file, const std::vector<point_summary>& points) {
  all_points these;
  for (const point_summary& s : points) {
    if (is_one_of_these(s) && s.status != status::unsupported && s.status != status::elided)
      these.push_back(&s);
  }
  if (these.empty()) return {};
  return links_text(file) + barrier_table(these) + barrier_finding(these) + remote_table(these) +
         contention_table(file, these) + handoff_table(file, these);
}

}  // namespace syncmeter
