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

/// Its axes are the rows of record/axes.def, which say what each one means.
struct point {
#define SM_AXIS(name, type, absent, ...) type name = absent;
#include "record/axes.def"

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

/// The value of one axis as text; empty where `axis` names none, and for a type that it does not
/// have.
[[nodiscard]] std::string axis_text(const point& p, std::string_view axis);

/// A point as a JSON object: one member per axis, plus "stride_bytes". Members without a value are
/// left out.
void to_json(nlohmann::json& j, const point& p);

/// Throws std::invalid_argument naming the offending member and text; ignores members it does not
/// know (a newer minor schema), and "stride_bytes", which is derived.
void from_json(const nlohmann::json& j, point& p);

}  // namespace syncmeter
