// Selects the built forms of an op. The first form of each placement is the standard form. The
// three uses of an add have the full cross of flavour, scope and order. Every other op varies one
// axis from its standard form, to keep a binary below 2,000 kernels.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/measurable.hpp"

namespace syncmeter::cuda {

class form_list {
 public:
  constexpr void add(const form& f) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (forms_[i] == f) return;
    }
    forms_[size_++] = f;
  }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr const form& operator[](std::size_t i) const { return forms_[i]; }

 private:
  std::array<form, 128> forms_{};
  std::size_t size_ = 0;
};

inline constexpr std::array all_scopes{scope::device, scope::block, scope::system};
inline constexpr std::array all_orders{order::relaxed, order::acquire, order::release,
                                       order::acq_rel, order::seq_cst};

[[nodiscard]] constexpr bool is_floating(std::optional<value_type> t) {
  return t == value_type::float32 || t == value_type::float64;
}

/// Returns the flavour most programmers know first: CUDA's function if available, else libcu++.
[[nodiscard]] constexpr flavour standard_flavour(std::string_view op, std::optional<value_type> t) {
  if (op == "atomic_read" || op.starts_with("atomic_write")) return flavour::atomic_ref;
  if (op == "atomic_exchange" && t == value_type::float64) return flavour::atomic_ref;
  return flavour::function;
}

/// Returns true if a flavour has an order, for loads, stores and updates.
[[nodiscard]] constexpr bool has_order(std::string_view op, flavour f, order o) {
  if (f == flavour::function) return o == order::relaxed;
  if (op == "atomic_read" && (o == order::release || o == order::acq_rel)) return false;
  if (op.starts_with("atomic_write") && (o == order::acquire || o == order::acq_rel)) return false;
  if (f == flavour::ptx) {
    const bool add = op.starts_with("atomic_add") || op == "atomic_fetch_add";
    // `red` has no acquire: an unseen result orders nothing after it (PTX ISA, red).
    if (op == "atomic_add" && (o == order::acquire || o == order::acq_rel)) return false;
    return o == order::relaxed || (add && o != order::seq_cst);
  }
  return true;
}

[[nodiscard]] constexpr bool has_flavour(std::string_view op, flavour f) {
  if (f == flavour::function) return op != "atomic_read" && !op.starts_with("atomic_write");
  if (f == flavour::ptx) return op != "atomic_sub";
  return op != "atomic_inc";
}

/// Returns true for an API's defaults (no argument, or a scope alone), and for orders sufficient to
/// count.
[[nodiscard]] constexpr bool is_written_by_default(const form& f) {
  if (f.flavour == flavour::ptx || f.scope == scope::block) return false;
  return f.order == order::relaxed || f.order == order::seq_cst;
}

/// Returns true if the forms are built for own cells too, for comparisons in the study `defaults`.
[[nodiscard]] constexpr bool has_defaults(std::string_view op) {
  return op == "atomic_exchange" || op == "atomic_cas_pass" || op == "atomic_read" ||
         op == "atomic_write";
}

constexpr void add_atomic_forms(form_list& list, const op_info& info, value_type t) {
  const std::string_view op = info.name;
  const flavour usual = standard_flavour(op, t);
  const auto places = places_of(info.places);
  const auto standard = [&](placement p) {
    return form{.order = order::relaxed,
                .placement = p,
                .scope = scope::device,
                .flavour = usual,
                .space = space::global};
  };
  const value_type first_type = op == "atomic_inc" ? value_type::uint32 : value_type::int32;
  for (const placement p : places) list.add(standard(p));
  const bool add = op == "atomic_add" || op == "atomic_fetch_add" || op == "atomic_add_dependent";
  for (const placement p : places) {
    form f = standard(p);
    f.space = space::shared_memory;
    // A 64-bit integer add in shared memory is a loop with several shapes.
    const bool add_of_another = op == "atomic_add" && t != value_type::uint64;
    if ((t == first_type || add_of_another) && op != "atomic_write_two_lines") list.add(f);
  }
  if (t != first_type) return;
  for (const placement p : places) {
    form f = standard(p);
    f.some_lanes = true;
    list.add(f);
    const bool own = !add && p != placement::shared;
    if (own && !has_defaults(op)) continue;
    for (const flavour flavour : {flavour::function, flavour::atomic_ref, flavour::ptx}) {
      if (!has_flavour(op, flavour)) continue;
      for (const scope scope : all_scopes) {
        for (const order order : all_orders) {
          if (!has_order(op, flavour, order)) continue;
          f = {.order = order,
               .placement = p,
               .scope = scope,
               .flavour = flavour,
               .space = space::global};
          const form s = standard(p);
          const int differing =
              (f.order != s.order) + (f.scope != s.scope) + (f.flavour != s.flavour);
          // An order needs a flavour that supports it: both together are one step from the standard
          // form.
          const bool one_axis =
              differing <= 1 ||
              (differing == 2 && f.flavour == flavour::atomic_ref && f.scope == s.scope);
          if (own ? is_written_by_default(f) : add || one_axis) list.add(f);
        }
      }
    }
  }
}

constexpr void add_fence_forms(form_list& list, const op_info& info, value_type t) {
  const bool bare = info.places == places::none;
  const placement p = bare ? placement::none : placement::strided;
  const space where = bare ? space::none : space::global;
  for (const scope s : all_scopes) {
    list.add({.order = order::unordered,
              .placement = p,
              .scope = s,
              .flavour = flavour::function,
              .space = where});
  }
  if (!bare && t != value_type::int32) return;
  for (const order o : {order::acquire, order::release, order::acq_rel, order::seq_cst}) {
    for (const scope s : all_scopes) {
      if (!bare && (s != scope::device || o == order::acquire || o == order::release)) continue;
      list.add(
          {.order = o, .placement = p, .scope = s, .flavour = flavour::atomic_ref, .space = where});
    }
  }
}

[[nodiscard]] constexpr form_list forms_built(const op_info& info, value_type t) {
  form_list list;
  switch (info.family) {
  case family::atomic:
    add_atomic_forms(list, info, t);
    break;
  case family::fence:
    add_fence_forms(list, info, t);
    break;
  case family::critical:
    list.add({.placement = placement::shared, .scope = scope::device, .space = space::global});
    break;
  case family::handoff:
    for (const scope s : all_scopes) list.add({.scope = s});
    break;
  default:
    for (const placement p : places_of(info.places))
      list.add(
          {.placement = p, .space = info.places == places::none ? space::none : space::global});
  }
  return list;
}

/// Returns true if 2 and 4 measured ops are built too: for standard forms of one type.
[[nodiscard]] constexpr bool has_additivity(const op_info& info, const form& f, value_type t) {
  if (t != value_type::int32 || f.some_lanes) return false;
  const form_list list = forms_built(info, t);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].placement == f.placement) return list[i] == f;
  }
  return false;
}

/// Returns the reason, for the user, if a lane of this form lacks the op.
[[nodiscard]] constexpr std::string_view missing_word(const op_info& info,
                                                      std::optional<value_type> t, const form&) {
  const std::string_view op = info.name;
  if (op == "atomic_inc") return "CUDA has atomicInc for uint32 only";
  if (op == "atomic_sub") return "CUDA has atomicSub for 32-bit integers only";
  if (info.compares && is_floating(t)) return "CUDA has no floating-point compare-and-swap";
  if (info.family == family::atomic && is_floating(t))
    return "CUDA has no floating-point form of this atomic";
  if (info.family == family::critical)
    return "CUDA has neither critical sections nor lock objects; critical_add is a spin lock";
  if (info.takes_token) return "not available on GPUs; the op handoff waits by load";
  return "CUDA has no such operation";
}

}  // namespace syncmeter::cuda
