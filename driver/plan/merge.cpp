// Which points would measure the same thing, by a key that holds everything a measurement depends
// on.
#include "driver/plan/merge.hpp"

#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace syncmeter {
namespace {

// One lane has one cell, whatever the placement; a stride of 0 puts all lanes on one cell.
std::string cells(const point& p) {
  const unsigned count = cells_in_use(p);
  if (count < 2) return count == 0 ? "none" : "one";
  return fmt::format("{}, {} bytes from {}", count, stride_bytes(p), p.base_offset);
}

bool code_is_known(const candidate& c) {
  return c.planned.what.type && c.row->code.size() >= 2 && !c.row->code[0].empty() &&
         !c.row->code[1].empty();
}

std::string key_of(const candidate& c) {
  const point& p = c.planned.what;
  const std::string where = fmt::format("{} on {}", p.lanes, fmt::join(c.planned.pus, ","));
  if (!code_is_known(c)) {
    point without_affinity = p;
    without_affinity.affinity = affinity::none;
    return canonical(without_affinity) + " " + where;
  }
  // Equal code of one width; what the cost is divided by must agree too.
  return fmt::format("{} {}-{} {} {} {} {} {} size {} wait {} blocks {} scope {} repeat {} {}",
                     p.backend, c.row->code[0], c.row->code[1], c.row->pairing, c.row->unroll,
                     c.row->ops_per_step, where, cells(p), p.size, to_text(p.wait), p.blocks,
                     to_text(p.scope), p.repeat, c.planned.additivity);
}

bool differ_in_affinity_only(point a, const point& b) {
  a.affinity = b.affinity;
  return a == b;
}

void add_reason(std::string& why, const std::string& reason) {
  if (why.find(reason) != std::string::npos) return;
  if (!why.empty()) why += "; ";
  why += reason;
}

}  // namespace

std::vector<planned_point> merge_equal(std::vector<candidate> candidates) {
  std::vector<planned_point> kept;
  std::unordered_map<std::string, std::size_t> first_with;
  for (candidate& c : candidates) {
    if (c.planned.what.affinity == affinity::none) {
      kept.push_back(std::move(c.planned));
      continue;
    }
    const auto [found, is_new] = first_with.try_emplace(key_of(c), kept.size());
    if (is_new) {
      kept.push_back(std::move(c.planned));
      continue;
    }
    planned_point& first = kept[found->second];
    add_reason(first.why,
               differ_in_affinity_only(first.what, c.planned.what)
                   ? "equal placement: both affinities choose the same PUs in the same order"
                   : "equal machine code of both loops on the same cells and PUs");
    first.same_as.push_back(std::move(c.planned.what));
  }
  return kept;
}

}  // namespace syncmeter
