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

template <class Enum> struct spelling {
  Enum value;
  std::string_view text;
};
template <class Enum> spelling(Enum, const char*) -> spelling<Enum>;

inline constexpr std::array value_type_names{
    spelling{value_type::int32, "int32"}, spelling{value_type::uint32, "uint32"},
    spelling{value_type::uint64, "uint64"}, spelling{value_type::float32, "float"},
    spelling{value_type::float64, "double"}};
inline constexpr std::array placement_names{spelling{placement::none, "none"},
                                            spelling{placement::shared, "shared"},
                                            spelling{placement::strided, "strided"}};
inline constexpr std::array order_names{
    spelling{order::unordered, "unordered"}, spelling{order::relaxed, "relaxed"},
    spelling{order::acquire, "acquire"},     spelling{order::release, "release"},
    spelling{order::acq_rel, "acq_rel"},     spelling{order::seq_cst, "seq_cst"}};
inline constexpr std::array affinity_names{
    spelling{affinity::none, "none"}, spelling{affinity::close, "close"},
    spelling{affinity::spread, "spread"}, spelling{affinity::smt, "smt"},
    spelling{affinity::quiet, "quiet"}};
inline constexpr std::array wait_policy_names{spelling{wait_policy::active, "active"},
                                              spelling{wait_policy::passive, "passive"}};
inline constexpr std::array home_names{spelling{home::none, "none"}, spelling{home::first, "first"},
                                       spelling{home::second, "second"},
                                       spelling{home::other, "other"}};

inline constexpr std::array scope_names{
    spelling{scope::none, "none"}, spelling{scope::block, "block"},
    spelling{scope::device, "device"}, spelling{scope::system, "system"},
    spelling{scope::cluster, "cluster"}};
inline constexpr std::array flavour_names{
    spelling{flavour::none, "none"}, spelling{flavour::function, "function"},
    spelling{flavour::atomic_ref, "atomic_ref"}, spelling{flavour::ptx, "ptx"},
    spelling{flavour::volatile_access, "volatile"}};
inline constexpr std::array space_names{spelling{space::none, "none"},
                                        spelling{space::global, "global"},
                                        spelling{space::shared_memory, "shared_memory"}};

constexpr auto& names_of(value_type) { return value_type_names; }
constexpr auto& names_of(placement) { return placement_names; }
constexpr auto& names_of(order) { return order_names; }
constexpr auto& names_of(affinity) { return affinity_names; }
constexpr auto& names_of(wait_policy) { return wait_policy_names; }
constexpr auto& names_of(home) { return home_names; }
constexpr auto& names_of(scope) { return scope_names; }
constexpr auto& names_of(flavour) { return flavour_names; }
constexpr auto& names_of(space) { return space_names; }

template <class Enum> concept axis_value = requires(Enum e) { names_of(e); };

template <axis_value Enum> [[nodiscard]] constexpr std::string_view to_text(Enum value) {
  for (const auto& name : names_of(value)) {
    if (name.value == value) return name.text;
  }
  return "?";
}

/// The value spelled `text`, or nothing. Spelling is exact: user input is checked by its caller,
/// who can say where it stood.
template <axis_value Enum>
[[nodiscard]] constexpr std::optional<Enum> from_text(std::string_view text) {
  for (const auto& name : names_of(Enum{})) {
    if (name.text == text) return name.value;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr std::size_t size_of(value_type type) {
  return type == value_type::uint64 || type == value_type::float64 ? 8 : 4;
}

template <class T> struct type_tag;
template <> struct type_tag<std::int32_t> {
  static constexpr auto value = value_type::int32;
};
template <> struct type_tag<std::uint32_t> {
  static constexpr auto value = value_type::uint32;
};
template <> struct type_tag<std::uint64_t> {
  static constexpr auto value = value_type::uint64;
};
template <> struct type_tag<float> {
  static constexpr auto value = value_type::float32;
};
template <> struct type_tag<double> {
  static constexpr auto value = value_type::float64;
};

}  // namespace syncmeter
