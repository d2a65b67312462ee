// The values that the axes of a point can take, and their spelling in options, results and tables.
// Needs nothing but the language, so that device code can include it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace syncmeter {

enum class value_type : std::uint8_t { int32, uint32, uint64, float32, float64 };

/// shared: every lane the same cell, and the compiler can see it. strided: each lane its own,
/// `stride` elements apart, opaque to the compiler even at stride 0. none: the op touches no cell.
enum class placement : std::uint8_t { none, shared, strided };

/// Memory order. unordered: the form of the API that has no order clause (a bare `omp flush`, a
/// barrier). acq_rel on an access means acquire for a load, release for a store and for an update
/// whose result is unused, both for a read-modify-write whose result is used.
enum class order : std::uint8_t { unordered, relaxed, acquire, release, acq_rel, seq_cst };

/// How lanes are placed on processing units (hwloc PUs); see core/machine/topology.hpp.
enum class affinity : std::uint8_t { none, close, spread, smt, quiet };

/// What a waiting OpenMP or Kokkos thread does: spin (active) or sleep (passive). It is part of a
/// worker's launch environment.
enum class wait_policy : std::uint8_t { active, passive };

/// Ops that hand a token on: the PU that first touches the lines it lies on, which decides on which
/// NUMA node they are. first, second: that of lane 0 or lane 1. other: a PU of no lane, on another
/// node than theirs where there is one. none: wherever the worker's memory happens to be.
enum class home : std::uint8_t { none, first, second, other };

/// GPU: the threads among which an atomic is one, or for which a fence orders. none: the API has no
/// scopes.
enum class scope : std::uint8_t { none, block, device, system, cluster };

/// GPU: which of the API's spellings of one operation. function: atomicAdd and its like;
/// atomic_ref: libcu++; ptx: inline PTX; volatile_access: volatile, with a fence where it is
/// ordered.
enum class flavour : std::uint8_t { none, function, atomic_ref, ptx, volatile_access };

/// GPU: the memory that holds the cells.
enum class space : std::uint8_t { none, global, shared_memory };

/// What distinguishes the loops of one op and type: the axes that the compiler sees.
struct form {
  enum order order = order::unordered;
  enum placement placement = placement::none;
  enum scope scope = scope::none;
  enum flavour flavour = flavour::none;
  enum space space = space::none;
  bool some_lanes = false;  ///< GPU: lanes beyond `active` of each warp are switched off by an if
  unsigned size = 0;        ///< point::size where the compiler has to know it; 0: it need not
  friend constexpr bool operator==(const form&, const form&) = default;
};

/// The spellings of an enum's values, in their order.
template <class... Text> constexpr auto spelled(Text... texts) {
  return std::array<std::string_view, sizeof...(texts)>{texts...};
}
constexpr auto names_of(value_type) {
  return spelled("int32", "uint32", "uint64", "float", "double");
}
constexpr auto names_of(placement) { return spelled("none", "shared", "strided"); }
constexpr auto names_of(order) {
  return spelled("unordered", "relaxed", "acquire", "release", "acq_rel", "seq_cst");
}
constexpr auto names_of(affinity) { return spelled("none", "close", "spread", "smt", "quiet"); }
constexpr auto names_of(wait_policy) { return spelled("active", "passive"); }
constexpr auto names_of(home) { return spelled("none", "first", "second", "other"); }
constexpr auto names_of(scope) { return spelled("none", "block", "device", "system", "cluster"); }
constexpr auto names_of(flavour) {
  return spelled("none", "function", "atomic_ref", "ptx", "volatile");
}
constexpr auto names_of(space) { return spelled("none", "global", "shared_memory"); }

template <class Enum> concept axis_value = requires(Enum e) { names_of(e); };

template <axis_value Enum> [[nodiscard]] constexpr std::string_view to_text(Enum value) {
  constexpr auto names = names_of(Enum{});
  const auto at = static_cast<std::size_t>(value);
  return at < names.size() ? names[at] : "?";
}

/// The value spelled `text`, or nothing. Spelling is exact: user input is checked by its caller,
/// who can say where it stood.
template <axis_value Enum>
[[nodiscard]] constexpr std::optional<Enum> from_text(std::string_view text) {
  constexpr auto names = names_of(Enum{});
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (names[at] == text) return static_cast<Enum>(at);
  }
  return std::nullopt;
}

[[nodiscard]] constexpr std::size_t size_of(value_type type) {
  return type == value_type::uint64 || type == value_type::float64 ? 8 : 4;
}

template <class T> struct type_tag;
template <>
struct type_tag<std::int32_t> : std::integral_constant<value_type, value_type::int32> {};
template <>
struct type_tag<std::uint32_t> : std::integral_constant<value_type, value_type::uint32> {};
template <>
struct type_tag<std::uint64_t> : std::integral_constant<value_type, value_type::uint64> {};
template <> struct type_tag<float> : std::integral_constant<value_type, value_type::float32> {};
template <> struct type_tag<double> : std::integral_constant<value_type, value_type::float64> {};

/// From a type that is known when the program runs to one that the compiler knows: calls `use` with
/// a value of it.
template <class Use> constexpr auto by_type(value_type type, Use use) {
  switch (type) {
  case value_type::int32:
    return use(std::int32_t{});
  case value_type::uint32:
    return use(std::uint32_t{});
  case value_type::uint64:
    return use(std::uint64_t{});
  case value_type::float32:
    return use(float{});
  case value_type::float64:
    break;
  }
  return use(double{});
}

}  // namespace syncmeter
