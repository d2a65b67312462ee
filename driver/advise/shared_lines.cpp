#include "driver/advise/shared_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include <fmt/format.h>

#include "driver/advise/source_lines.hpp"
#include "driver/text/messages.hpp"

namespace syncmeter {
namespace {

/// Of a lock's number, below that of its process.
constexpr unsigned process_bits = 32;

/// Whether parts of both lie in one cache line. The standard library's locks hold one of the C
/// library's and no more; what is none of these is a word.
bool shares_a_line(const lock_object& one, const lock_object& other) {
  constexpr std::uint64_t line = 64, word = 4;
  const auto last_byte = [](const lock_object& of) {
    const std::uint64_t bytes = of.kind == "mutex"    ? sizeof(std::mutex)
                                : of.kind == "rwlock" ? sizeof(std::shared_mutex)
                                                      : word;
    return of.address + bytes - 1;
  };
  return one.address != 0 && other.address != 0 &&
         one.number >> process_bits == other.number >> process_bits &&
         one.address / line <= last_byte(other) / line &&
         other.address / line <= last_byte(one) / line;
}

bool is_beside_another_threads(const lock_object& of, const std::vector<lock_object>& all) {
  return std::ranges::any_of(all, [&](const lock_object& other) {
    return other.number != of.number && !other.threads.empty() && other.threads != of.threads &&
           shares_a_line(of, other);
  });
}

}  // namespace

std::vector<advice> advise_on_shared_lines(const std::vector<site>& sites,
                                           const advice_setting& setting,
                                           std::set<std::uint64_t>& advised) {
  struct locks_of_site {
    std::vector<std::size_t> ids;
    std::uint64_t locks = 0, count = 0;
    double longest_wait_s = 0, all_waits_s = 0, all_s = 0;
    std::set<std::pair<std::uint64_t, std::uint32_t>> threads;  // by process
  };
  std::map<std::size_t, locks_of_site> by_site;
  for (const lock_object& object : setting.objects) {
    if (object.threads.size() != 1 || !is_beside_another_threads(object, setting.objects)) continue;
    std::vector<std::size_t> ids;
    std::ranges::copy_if(object.ids, std::back_inserter(ids),
                         [&](std::size_t id) { return is_for_lock(sites[id - 1]); });
    if (ids.empty()) continue;
    locks_of_site& at = by_site[ids.front()];
    at.ids = std::move(ids);
    ++at.locks;
    at.count += object.acquisitions;
    at.longest_wait_s = std::max(at.longest_wait_s, object.call_ns * 1e-9);
    at.all_waits_s += object.call_ns * 1e-9;
    at.threads.emplace(object.number >> process_bits, *object.threads.begin());
    at.all_s += (object.call_ns + object.held_ns) * 1e-9;
    advised.insert(object.number);
  }
  std::vector<advice> all;
  for (const auto& [id, at] : by_site) {
    if (at.longest_wait_s < least_worth_saying * setting.wall_s) continue;
    const double at_most_s = std::min(at.all_s, setting.wall_s);
    const std::string cause = fmt::format(
        "{}: {} taken {} times, each by one thread alone, in a cache line with the lock of another "
        "thread: the line goes from one processor to the other. Give each lock, with the data "
        "under it, cache lines of its own (alignas(64)).",
        where_text(sites[id - 1]),
        at.locks == 1 ? "a lock is" : fmt::format("{} locks are", at.locks),
        grouped_digits(at.count));
    all.push_back(
        {.rule = "padding",
         .site_id = id,
         .at_most_s = at_most_s,
         .text = fmt::format("{} The calls that take them and what is done under them take "
                             "{} for all threads together; that saves at most {} of {}.",
                             cause, seconds_text(at.all_s), seconds_text(at_most_s),
                             seconds_text(setting.wall_s)),
         .cause = cause,
         .seen_share = at.all_waits_s / static_cast<double>(at.threads.size()) / setting.wall_s,
         .more_ids = {at.ids.begin() + 1, at.ids.end()},
         .removes = removed_work{}});
  }
  return all;
}

}  // namespace syncmeter
