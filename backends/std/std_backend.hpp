// The backend of C++20 threads: its lane, the sequence of its orders, reasons for missing ops, and
// its table.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "backends/std/std_lane.hpp"
#include "core/host/host_backend.hpp"
#include "core/measurable.hpp"

namespace syncmeter::standard {

// The first order is the language's default, seq_cst. A fence must name an order.
inline constexpr std::array atomic_orders{order::seq_cst, order::relaxed, order::acq_rel};
inline constexpr std::array fence_orders{order::seq_cst, order::acquire, order::release,
                                         order::acq_rel};

template <class Op> [[nodiscard]] consteval auto orders_here() {
  if constexpr (Op::info.orders == orders::atomic) return atomic_orders;
  else if constexpr (Op::info.orders == orders::fence) return fence_orders;
  else return no_orders;
}

/// Returns 0 if the op has only one type and T is different.
template <class Op, class T> [[nodiscard]] consteval std::size_t has_form() {
  if constexpr (requires { typename Op::only_type; })
    return std::is_same_v<typename Op::only_type, T> ? 1 : 0;
  else return 1;
}

struct backend : host_backend {
  // A CPU compiler treats shared and own cells alike, so one lane serves both placements.
  template <class T, form F> using lane = standard::lane<T, F.order>;

  template <class Op, class T> static consteval auto forms_of() {
    constexpr auto all_orders = orders_here<Op>();
    constexpr auto all_places = places_of(Op::info.places);
    std::array<form, has_form<Op, T>() * all_orders.size() * all_places.size()> forms{};
    for (std::size_t i = 0; i < forms.size(); ++i) {
      forms[i] = {.order = all_orders[i / all_places.size()],
                  .placement = all_places[i % all_places.size()]};
    }
    return forms;
  }

  static consteval std::string_view why_unsupported(const op_info& info, std::optional<value_type>,
                                                    const form&) {
    if (!info.why_missing.empty()) return info.why_missing;
    if (info.guard == guard::named_section)
      return "C++ has no named critical section; each std::mutex is one of its own (critical_add)";
    return "the C++ library has no such operation";
  }
};

/// Returns the whole table. Its parts are separate translation units (cmake/tables.cmake).
[[nodiscard]] std::vector<measurable> all_rows();

/// Returns the expected x86-64 code per op ("lock_add 1"), or an empty text without a declaration.
[[nodiscard]] std::string declared_instructions(const measurable& row);

}  // namespace syncmeter::standard
