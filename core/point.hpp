// One point: an op with one value on every axis. Its canonical text is its identity in results
// files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/axes.hpp"

namespace syncmeter {

struct point {
  std::string backend{};  ///< "omp", "cuda", "kokkos-openmp", ...
  std::string op{};
  std::optional<value_type> type{};  ///< nothing for an op without a type
  enum placement placement = placement::none;
  unsigned stride = 0;       ///< elements between the cells of neighbouring lanes; strided only
  unsigned base_offset = 0;  ///< bytes from the start of a line to the array's first cell; CPU only
  unsigned cells = 0;        ///< strided cells that the lanes share out evenly, neighbours on one;
                             ///< 0: as many as lanes. CPU only
  unsigned lanes = 1;        ///< CPU: threads of the team. GPU: threads per block
  unsigned blocks = 1;       ///< GPU only
  unsigned active = 0;       ///< GPU only: lanes of each warp that take part; 0 is all of them
  bool waves = false;        ///< GPU only: more blocks than run at once, one wave after the other
  unsigned size = 0;  ///< of what the op works on or with (op_info::size_of): lanes of a tile,
                      ///< blocks of a cluster, paths, elements; 0: it has none
  enum scope scope = scope::none;
  enum flavour flavour = flavour::none;
  enum space space = space::none;
  enum order order = order::unordered;
  enum affinity affinity = affinity::none;
  enum wait_policy wait = wait_policy::active;
  enum home home = home::none;  ///< CPU, ops with a token only
  std::vector<int> pus{};  ///< CPU: the OS number of each lane's PU, in place of an affinity; none:
                           ///< the affinity decides
  unsigned late_us = 0;    ///< CPU, barrier_late only: how late one lane in turn arrives
  unsigned section_ns = 0;       ///< CPU, ops that hold a lock for a while: work under it
  unsigned think_ns = 0;         ///< CPU, the same ops: work between two sections
  unsigned reads_per_write = 0;  ///< CPU, ops that read and write one datum; 0: all write
  unsigned repeat = 0;  ///< tells repeats of one point apart (study `control`); 0: not repeated

  friend bool operator==(const point&, const point&) = default;
};

/// The axes of a point that the compiler sees.
[[nodiscard]] constexpr form form_of(const point& p) {
  return {.order = p.order,
          .placement = p.placement,
          .scope = p.scope,
          .flavour = p.flavour,
          .space = p.space,
          .some_lanes = p.active != 0,
          .size = p.size};
}

/// Whether the loops of one form are those of a point's form: a size that the compiler need not
/// know is not one of them.
[[nodiscard]] constexpr bool serves(const form& built, form wanted) {
  if (built.size == 0) wanted.size = 0;
  return built == wanted;
}

/// Bytes between the cells of neighbouring lanes: 0 when shared or without a cell.
[[nodiscard]] std::size_t stride_bytes(const point& p);

/// How many cells its lanes use: 0 for an op without one, 1 when all share one.
[[nodiscard]] unsigned cells_in_use(const point& p);

/// The cell that a lane uses, of `cells` that `lanes` lanes share out evenly.
[[nodiscard]] constexpr std::size_t cell_of(unsigned lane, std::size_t cells, unsigned lanes) {
  return lane * cells / lanes;
}

/// All axes as "backend=omp op=atomic_add type=int32 ...", in a fixed order, axes without a value
/// left out. Two points are the same exactly when their texts are.
[[nodiscard]] std::string canonical(const point& p);

/// The value of one axis of the table in core/point_axes.hpp as text; empty for a type that it does
/// not have.
[[nodiscard]] std::string axis_text(const point& p, std::string_view axis);

/// A point as a JSON object: one member per axis, plus "stride_bytes". Members without a value are
/// left out.
void to_json(nlohmann::json& j, const point& p);

/// Throws std::invalid_argument naming the offending member and text; ignores members it does not
/// know (a newer minor schema), and "stride_bytes", which is derived.
void from_json(const nlohmann::json& j, point& p);

}  // namespace syncmeter
