#include "driver/ab/equal_code.hpp"

#include <algorithm>
#include <future>
#include <map>

#include "driver/census/rule/census_diff.hpp"
#include "driver/census/rule/worker_census.hpp"
#include "driver/plan/offered_ops.hpp"

namespace syncmeter {
namespace {

/// The loops of the points' entries, with one run of a disassembler for each worker.
class loops_of_build {
 public:
  explicit loops_of_build(const std::vector<worker_info>& workers) : workers_(workers) {}

  void add(const point& p) {
    for (const worker_info& worker : workers_) {
      const capability* const what = entry_of(p, worker);
      if (what == nullptr) continue;
      add_once(wanted_[&worker], what);
      entry_by_point_[canonical(p)] = what;
    }
  }

  void read() {
    for (const auto& [worker, entries] : wanted_) {
      std::vector<capability> copies;
      for (const capability* each : entries) copies.push_back(*each);
      std::vector<census_entry> census = take_census(worker->path, copies, true);
      for (std::size_t i = 0; i < std::min(census.size(), entries.size()); ++i)
        loops_.emplace(entries[i], std::move(census[i]));
    }
  }

  /// Null where there are none.
  [[nodiscard]] const census_entry* of(const point& p) const {
    const auto entry = entry_by_point_.find(canonical(p));
    if (entry == entry_by_point_.end()) return nullptr;
    const auto found = loops_.find(entry->second);
    return found == loops_.end() ? nullptr : &found->second;
  }

 private:
  const std::vector<worker_info>& workers_;
  std::map<const worker_info*, std::vector<const capability*>> wanted_;
  std::map<std::string, const capability*> entry_by_point_;
  std::map<const capability*, census_entry> loops_;
};

bool calls(const loop_code& loop) {
  return std::ranges::any_of(loop.lines,
                             [](const loop_line& line) { return line.shape.starts_with("call"); });
}

bool are_equal(const census_entry* a, const census_entry* b, bool additivity) {
  if (a == nullptr || b == nullptr) return false;
  const std::size_t measured = additivity ? a->loops.size() : 2;
  for (std::size_t i = 0; i < measured; ++i) {
    const loop_code &in_a = a->loops[i], &in_b = b->loops[i];
    if (in_a.lines.empty() || in_b.lines.empty() || calls(in_a) || calls(in_b)) return false;
    if (compare_loops(in_a.lines, in_b.lines).what != change::none) return false;
  }
  return true;
}

}  // namespace

std::vector<bool>
equal_code(const std::vector<std::pair<const planned_point*, const planned_point*>>& pairs,
           const std::vector<worker_info>& a, const std::vector<worker_info>& b) {
  loops_of_build of_a(a), of_b(b);
  for (const auto& [in_a, in_b] : pairs) {
    of_a.add(in_a->what);
    of_b.add(in_b->what);
  }
  auto reading = std::async(std::launch::async, [&of_a] { of_a.read(); });
  of_b.read();
  reading.get();
  std::vector<bool> equal;
  for (const auto& [in_a, in_b] : pairs)
    equal.push_back(
        are_equal(of_a.of(in_a->what), of_b.of(in_b->what), in_a->additivity || in_b->additivity));
  return equal;
}

}  // namespace syncmeter
