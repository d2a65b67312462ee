#include "core/host/work_record.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/harness/core_probes.hpp"

namespace syncmeter {

work_record::work_record(sharers who)
    : lanes_{who.lanes}, size_{std::max(who.size, 1U)}, gap_ns_{std::int64_t{1000} * who.gap_us},
      work_steps_{ops::steps_of(who.section_ns)}, work_(who.lanes) {
  current = this;
}

void work_record::spend_gap() {
  const auto start = steady_ns();
  auto now = start;
  while (now < start + gap_ns_) now = steady_ns();
  ++gaps_;
  spent_ns_ += now - start;
}

std::string work_record::check_items(std::uint64_t ops, std::uint64_t items_per_op) const {
  thread_work all;
  for (const thread_work& each : work_) {
    all.add(each.items, each.numbers);
    all.wrong += each.wrong;
  }
  const std::uint64_t items = ops * items_per_op;
  if (all.items != items)
    return fmt::format("oracle: {} of {} pieces of work were done", all.items, items);
  // Of each op they are numbered from 0; the sum is modulo 2^64, as that of the threads.
  const std::uint64_t numbers = items_per_op % 2 == 0 ? items_per_op / 2 * (items_per_op - 1)
                                                      : (items_per_op - 1) / 2 * items_per_op;
  if (items_per_op != 0 && all.numbers != ops * numbers)
    return "oracle: a piece of work was done twice, another one never";
  if (all.wrong != 0)
    return fmt::format("oracle: {} wrong results, or pieces of work out of order", all.wrong);
  return {};
}

std::string work_record::check_entered(std::uint64_t ops, unsigned threads) const {
  for (unsigned thread = 0; thread < lanes_; ++thread) {
    const std::uint64_t expected = thread < threads ? ops : 0;
    if (work_[thread].entered != expected) {
      return fmt::format("oracle: thread {} took part {} times, expected {}", thread,
                         work_[thread].entered, expected);
    }
  }
  return {};
}

std::string work_record::check_gaps(std::uint64_t gaps, std::uint64_t regions) const {
  if (gaps_ != gaps || spent_ns_ < static_cast<std::int64_t>(gaps) * gap_ns_)
    return fmt::format("oracle: {} gaps of {} ns in all, expected {} of {} ns each", gaps_,
                       spent_ns_, gaps, gap_ns_);
  return check_entered(1 + regions, lanes_);
}

}  // namespace syncmeter
