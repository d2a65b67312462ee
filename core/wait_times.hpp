// How long a lane waited, each time: a histogram that costs a few instructions to add to.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace syncmeter {

/// Times in ns, told apart to an eighth of their size. On lines of its own: a lane keeps one.
class alignas(128) wait_times {
 public:
  /// A time below 0 (a clock that steps back) counts as 0.
  void add(std::int64_t ns) {
    const auto wait = static_cast<std::uint64_t>(ns > 0 ? ns : 0);
    ++counts_[bucket_of(wait)];
    ++count_;
    if (wait > longest_ns_) longest_ns_ = wait;
  }
  void add(const wait_times& others) {
    for (std::size_t i = 0; i < buckets; ++i) counts_[i] += others.counts_[i];
    count_ += others.count_;
    if (others.longest_ns_ > longest_ns_) longest_ns_ = others.longest_ns_;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t longest_ns() const { return longest_ns_; }
  /// The time that a share (0 to 1) of all waits did not exceed: the end of its bucket, at most the
  /// longest wait. 0 where there are none.
  [[nodiscard]] std::uint64_t at_share(double share) const {
    const double wanted = share * static_cast<double>(count_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets && count_ > 0; ++i) {
      seen += counts_[i];
      if (seen > 0 && static_cast<double>(seen) >= wanted)
        return end_of(i) < longest_ns_ ? end_of(i) : longest_ns_;
    }
    return longest_ns_;
  }

 private:
  // Eight buckets to each power of two from 8 ns on; the last holds all beyond 2^40 ns.
  static constexpr unsigned parts = 8, part_bits = 3, top_bit = 40;
  static constexpr std::size_t buckets = (top_bit - part_bits + 1) * parts;

  [[nodiscard]] static std::size_t bucket_of(std::uint64_t ns) {
    if (ns < parts) return static_cast<std::size_t>(ns);
    const auto bit = static_cast<unsigned>(std::bit_width(ns)) - 1;
    if (bit >= top_bit) return buckets - 1;
    return (bit - part_bits) * parts + static_cast<std::size_t>(ns >> (bit - part_bits));
  }
  [[nodiscard]] static std::uint64_t end_of(std::size_t bucket) {
    if (bucket < 2 * parts) return bucket;
    const std::size_t shift = bucket / parts - 1;
    return ((bucket % parts + parts + 1) << shift) - 1;
  }

  std::array<std::uint32_t, buckets> counts_{};
  std::uint64_t count_ = 0, longest_ns_ = 0;
};

}  // namespace syncmeter
