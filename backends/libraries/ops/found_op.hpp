// Ops of what CMake may have found, or not.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "backends/libraries/library_locks.hpp"
#include "backends/libraries/library_rcu.hpp"
#include "core/ops/held_lock.hpp"
#include "core/ops/queued_add.hpp"
#include "core/ops/read_mostly_schemes.hpp"

namespace syncmeter::libraries::ops {

using syncmeter::ops::access_op;
using syncmeter::ops::held_op;
using syncmeter::ops::hold_info;
using syncmeter::ops::queued_add;
using syncmeter::ops::queued_info;
using syncmeter::ops::read_mostly_info;

/// An op without a loop: op_info::why_missing says why.
struct absent_op {
  SM_FN static void common(auto& lane)
    requires false
  {
    (void)lane;
  }
  SM_FN static void measured(auto& lane)
    requires false
  {
    (void)lane;
  }
};

template <bool Found, class Op> using where_found = std::conditional_t<Found, Op, absent_op>;

inline constexpr std::string_view no_absl =
    "Abseil was not found when this was built (Debian: libabsl-dev)";
inline constexpr std::string_view no_tbb =
    "oneTBB was not found when this was built (Debian: libtbb-dev)";
inline constexpr std::string_view no_ck =
    "Concurrency Kit was not found when this was built (Debian: libck-dev)";
inline constexpr std::string_view no_urcu =
    "liburcu was not found when this was built (Debian: liburcu-dev)";

/// A name as a template's argument.
template <std::size_t N> struct literal {
  char text[N];
  consteval literal(const char (&from)[N]) {
    std::copy_n(from, N, text);
  }  // NOLINT: a string is one
};
template <std::size_t... N> consteval auto joined(const char (&... parts)[N]) {
  std::array<char, ((N - 1) + ...)> all{};
  auto at = all.begin();
  ((at = std::copy_n(parts, N - 1, at)), ...);
  return all;
}
template <const auto& Text> inline constexpr std::string_view view_of{Text.data(), Text.size()};

// Each is a call, so that the census names the lock.
template <literal Lock>
inline constexpr auto both_calls =
    joined("call:syncmeter::libraries::", Lock.text,
           "::lock 1, call:syncmeter::libraries::", Lock.text,
           "::unlock 1, load 1, store 1 | call:syncmeter::libraries::", Lock.text,
           "::lock 1, call:syncmeter::libraries::", Lock.text, "::unlock 1, rmw 1");
template <literal Lock>
inline constexpr auto section_call =
    joined("call:syncmeter::ops::held_op<syncmeter::libraries::", Lock.text, ">::step 1");
template <literal Scheme>
inline constexpr auto access_call =
    joined("call:syncmeter::ops::access_op<syncmeter::libraries::", Scheme.text, ">::step 1");
template <literal Lock> inline constexpr auto add_name = joined(Lock.text, "_add");
template <literal Lock> inline constexpr auto held_name = joined(Lock.text, "_held");

/// `info` with what differs. `missing`: why, where its library was not found.
constexpr op_info with(op_info info, std::string_view note, std::string_view missing) {
  info.note = note;
  info.why_missing = missing;
  return info;
}

/// Of LOCK_add and LOCK_held.
template <literal Lock>
constexpr op_info add_under(std::string_view note, std::string_view missing) {
  return with(queued_info(view_of<add_name<Lock>>, {}, view_of<both_calls<Lock>>), note, missing);
}
template <literal Lock>
constexpr op_info held_under(std::string_view note, std::string_view missing) {
  return with(hold_info(view_of<held_name<Lock>>, {}, view_of<section_call<Lock>>), note, missing);
}
template <literal Scheme>
constexpr op_info datum_under(std::string_view name, std::string_view note,
                              std::string_view missing) {
  op_info info = read_mostly_info({}, {}, view_of<access_call<Scheme>>);
  info.name = name;
  return with(info, note, missing);
}

}  // namespace syncmeter::libraries::ops
