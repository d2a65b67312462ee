// An object of an op's own beside each cell: a lock, a barrier, a queue. The op names its type
// (`using object = my_lock;`), and its lanes find it by lane.object().
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

namespace syncmeter {

/// Times in ns, distinguished to an eighth of their size. On lines of its own: a lane keeps one.
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
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < buckets && count_ > 0; ++i) {
      so_far += counts_[i];
      if (so_far > 0 && static_cast<double>(so_far) >= wanted)
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

/// Who shares one object, and the axes of the point that are of use to it: handed to its
/// constructor where that takes it.
struct sharers {
  unsigned lanes = 1;
  unsigned section_ns = 0;       ///< work under a lock, in a region or before a barrier
  unsigned think_ns = 0;         ///< work between two sections
  unsigned reads_per_write = 0;  ///< of each lane
  unsigned gap_us = 0;           ///< before each region
  unsigned size = 0;             ///< as op_info::size_of says
};

/// What one sample did to one object, for the check of its op.
struct object_use {
  unsigned lanes = 1;          ///< that shared it
  std::uint64_t ops = 0;       ///< of each of these lanes: steps x op_info::ops_per_step
  std::uint64_t measured = 0;  ///< of these ops, those by the op's `measured`: 0 in a baseline
  std::uint64_t tally = 0;     ///< CPU: the sum of what these lanes tallied, modulo the word size
  [[nodiscard]] constexpr std::uint64_t all_ops() const { return lanes * ops; }
};

/// How a rig makes, ends and checks objects whose type it does not know.
struct object_kind {
  std::size_t bytes = 0;  ///< 0: the op has no object
  std::size_t alignment = 1;
  void (*make)(void* where, sharers who) = nullptr;
  void (*destroy)(void* object) = nullptr;
  /// What is wrong with it after a sample; empty when nothing is. Null where the op has no check.
  std::string (*check)(const void* object, const object_use& use) = nullptr;
  /// Adds how long its lanes waited for it, each time. Null where the op does not note that.
  void (*waits)(const void* object, wait_times& all) = nullptr;
};

/// Cells and objects begin on a page: what wants more cannot be placed.
inline constexpr std::size_t largest_alignment = 4096;
/// There is one for each lane, of as many lanes as a machine has.
inline constexpr std::size_t largest_object = std::size_t{1} << 20U;

template <class Op> concept has_object = requires { typename Op::object; };

namespace detail {

// A member `check` of any shape: with one, the name is ambiguous.
struct named_check {
  int check = 0;
};
template <class Op> struct check_twice : Op, named_check {};
template <class Op> concept has_check = !requires { &check_twice<Op>::check; };

template <class Op>
concept has_right_check = requires(const typename Op::object& object, const object_use& use) {
  { Op::check(object, use) } -> std::same_as<std::string>;
};

template <class Object> void make_object(void* where, [[maybe_unused]] sharers who) {
  if constexpr (std::is_constructible_v<Object, sharers>) ::new (where) Object(who);
  else ::new (where) Object();
}

template <class Op> consteval void check_object() {
  using object = typename Op::object;
  static_assert(std::is_object_v<object> && !std::is_const_v<object> && !std::is_array_v<object>,
                "the object of an op must be of a class or scalar type");
  static_assert(std::is_constructible_v<object, sharers> || std::is_default_constructible_v<object>,
                "the object of an op must be made from nothing, or from syncmeter::sharers");
  static_assert(std::is_destructible_v<object>, "the object of an op must have a destructor");
  static_assert(alignof(object) <= largest_alignment,
                "the object of an op must not be aligned to more than 4096 bytes: cells begin on "
                "a page");
  static_assert(sizeof(object) <= largest_object,
                "the object of an op must not be larger than 1 MiB: each lane may have one");
  if constexpr (has_check<Op>)
    static_assert(has_right_check<Op>,
                  "the check of an op must be static std::string check(const object&, const "
                  "syncmeter::object_use&)");
}

}  // namespace detail

/// Says what is wrong with it where an object cannot be placed.
template <has_object Op> [[nodiscard]] consteval object_kind object_kind_of() {
  detail::check_object<Op>();
  using object = typename Op::object;
  object_kind kind{.bytes = sizeof(object),
                   .alignment = alignof(object),
                   .make = &detail::make_object<object>,
                   .destroy = [](void* at) { std::destroy_at(static_cast<object*>(at)); }};
  // Of another shape it has been refused above, in a sentence.
  if constexpr (detail::has_right_check<Op>) {
    kind.check = [](const void* at, const object_use& use) {
      return Op::check(*static_cast<const object*>(at), use);
    };
  }
  if constexpr (requires(const object& at, wait_times& all) { Op::waits(at, all); }) {
    kind.waits = [](const void* at, wait_times& all) {
      Op::waits(*static_cast<const object*>(at), all);
    };
  }
  return kind;
}

}  // namespace syncmeter
