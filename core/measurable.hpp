// The table of what a backend can measure: every op x type x order x placement with what its rig
// runs, made at compile time from the ops and the backend's lane.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/cell_object.hpp"
#include "core/op.hpp"

namespace syncmeter {

class bench;

/// What one lane does in one sample, its loop included. `rig` is the backend's own, made ready for
/// one point, and knows how many trips the loop has. Called once per sample, never per op.
using lane_body = void (*)(bench& rig, unsigned lane);

/// The address of the loop for counts[index], or of the host's stub of the kernel that it is in.
using code_finder = const void* (*)(std::size_t index);

/// What the kernel of counts[index] is made of, as C++ writes it: part of its demangled name, and
/// of no other's.
using kernel_namer = std::string (*)(std::size_t index);

/// Runs an op's litmus on a rig made ready for the point; returns how often the forbidden occurred.
using litmus_check = std::uint64_t (*)(bench& rig);

/// What an op needs on its rig outside the clock, where cells are not all that it works on.
struct sample_hooks {
  void (*before)(bench& rig) = nullptr;  ///< before each sample
  /// After it, and after `ops` ops of each lane: what is wrong; empty when nothing is.
  std::string (*after)(bench& rig, std::uint64_t ops) = nullptr;
};

/// One row of a backend's table.
struct measurable {
  op_info info{};
  std::optional<value_type> type{};  ///< nothing for an op that has no type axis
  struct form form{};
  std::size_t built = 0;  ///< how many of `counts` have a loop: 4, 2 where additivity is not built,
                          ///< 0 when unsupported
  std::array<lane_body, 4> by_count{};  ///< for `counts`; null where `code` finds the stubs of
                                        ///< kernels, which the rig launches itself
  sample_hooks hooks{};
  object_kind object{};         ///< the op's own, beside each cell; without bytes: it has none
  code_finder code = nullptr;   ///< finds the machine code of the loops; null where they have no
                                ///< symbol
  bool code_on_device = false;  ///< `code` finds stubs on the host whose symbols are the kernels'
  kernel_namer kernel_name = nullptr;  ///< instead of `code`, where another API launches the
                                       ///< kernels
  litmus_check litmus = nullptr;       ///< the op's untimed check; null when it has none
  lane_body owner_body = nullptr;  ///< counts owner changes in an untimed sample, or null if the
                                   ///< op acquires no lock or the backend does not count
  std::string_view unsupported{};  ///< why not, for the user, or empty
};

template <class... Ops> struct op_list {};

/// The ops of a user's worker. Each has to run on the backend's lanes: of a shared op that one
/// lacks a word for the row is `unsupported`, of these it is an error.
template <class... Ops> struct user_ops : op_list<Ops...> {};

/// decltype(joined(a{}, b{})): the ops of both lists.
template <class... A, class... B> op_list<A..., B...> joined(op_list<A...>, op_list<B...>);

/// Whether none of the ops has a type axis.
template <class... Ops> consteval bool all_untyped(op_list<Ops...>) {
  return (... && !Ops::info.typed);
}

/// A table may be compiled in parts, side by side: each is a run of its rows, with code for about
/// as many as the others.
struct table_part {
  std::size_t index = 0, of = 1;
};

inline constexpr std::array no_orders{order::unordered};
inline constexpr std::array atomic_orders{order::relaxed, order::acq_rel, order::seq_cst};
inline constexpr std::array fence_orders{order::unordered, order::acquire, order::release,
                                         order::acq_rel, order::seq_cst};
inline constexpr std::array no_places{placement::none};
inline constexpr std::array shared_places{placement::shared};
inline constexpr std::array both_places{placement::shared, placement::strided};
inline constexpr std::array strided_places{placement::strided};

[[nodiscard]] constexpr std::span<const order> orders_of(orders axis) {
  if (axis == orders::atomic) return atomic_orders;
  if (axis == orders::fence) return fence_orders;
  return no_orders;
}
[[nodiscard]] constexpr std::span<const placement> places_of(places axis) {
  if (axis == places::shared) return shared_places;
  if (axis == places::shared_and_strided) return both_places;
  if (axis == places::strided) return strided_places;
  return no_places;
}

/// An op whose words the lane has. A misspelt word reads as "unsupported": the golden capability
/// matrix in tests/ is what catches it.
template <class Op, class Lane>
concept runs_on = (Op::info.pairing == pairing::self && requires(Lane& lane) {
                    Op::common(lane);
                    Op::measured(lane);
                  }) || (Op::info.pairing == pairing::insert && requires(Lane& lane) {
                    Op::before(lane);
                    Op::measured(lane);
                    Op::after(lane);
                  });

namespace detail {

template <class Op> consteval void check_shape() {
  static_assert(Op::info.unroll >= 1 && Op::info.unroll <= 64,
                "unroll must be 1..64: the loop has to fit the instruction cache");
  static_assert(Op::info.ops_per_step >= 1, "an op measures at least one primitive per step");
  static_assert(Op::info.places == places::none || Op::info.typed,
                "an op that touches a cell has a type");
  static_assert(!Op::info.name.empty(), "an op needs a name");
  static_assert(std::ranges::all_of(Op::info.name,
                                    [](char c) {
                                      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                                             c == '_' || c == '-';
                                    }),
                "the name of an op must be of a-z, 0-9, _ and -: it is a value of --op");
}

template <class Op, class Lane> consteval void require_words() {
  static_assert(runs_on<Op, Lane>,
                "an op does not run on this backend's lanes: it lacks common(lane) or "
                "measured(lane) (with pairing::insert: before, measured and after), or asks for a "
                "word that they do not have (atomic words need orders::atomic, fences "
                "orders::fence)");
}

// The lane of an op; one with an object of its own finds that there too.
template <class Backend, class Op, class Lane> struct lane_of {
  using type = Lane;
};
template <class Backend, has_object Op, class Lane> struct lane_of<Backend, Op, Lane> {
  using type = typename Backend::template lane_with<typename Op::object, Lane>;
};
template <class Backend, class Op, class Lane>
using lane_for = typename lane_of<Backend, Op, Lane>::type;

// Of a backend that does not say, all.
template <class Backend, class Op, class Lane> consteval std::size_t counts_built() {
  if constexpr (requires { Backend::template is_additive<Op, Lane>(); })
    return Backend::template is_additive<Op, Lane>() ? counts.size() : 2;
  else return counts.size();
}

template <class Backend, class Op, class Lane, std::size_t... I>
consteval std::array<lane_body, 4> bodies_of(std::index_sequence<I...>) {
  return {Backend::template body_of<Op, counts[I], Lane>()...};
}

template <class Backend, class T, class Op, form F> consteval measurable make_row() {
  measurable row{.info = Op::info, .form = F};
  if constexpr (Op::info.typed) row.type = type_tag<T>::value;
  using lane = lane_for<Backend, Op, typename Backend::template lane<T, F>>;
  if constexpr (runs_on<Op, lane>) {
    row.info.unroll = steps_in_trip<Op, lane>();
    if constexpr (has_object<Op>) row.object = object_kind_of<Op>();
    row.built = counts_built<Backend, Op, lane>();
    if constexpr (requires { Backend::template body_of<Op, 0, lane>(); })
      row.by_count = bodies_of<Backend, Op, lane>(
          std::make_index_sequence<counts_built<Backend, Op, lane>()>{});
    if constexpr (requires { Backend::template hooks_of<Op, lane>(); })
      row.hooks = Backend::template hooks_of<Op, lane>();
    if constexpr (requires { Backend::template kernel_name_of<Op, lane>(); })
      row.kernel_name = Backend::template kernel_name_of<Op, lane>();
    else row.code = Backend::template code_of<Op, lane>();
    if constexpr (requires { Backend::code_on_device; })
      row.code_on_device = Backend::code_on_device;
    row.litmus = Backend::template litmus_of<Op, lane>();
    if constexpr (requires { Backend::template owner_body_of<Backend, Op, F>(); })
      row.owner_body = Backend::template owner_body_of<Backend, Op, F>();
  } else {
    row.unsupported = Backend::why_unsupported(Op::info, row.type, F);
  }
  return row;
}

// The forms of an op where the backend does not list its own: placements follow each other, orders
// are the slower axis.
template <class Op> consteval auto orders_by_places() {
  constexpr auto all_orders = orders_of(Op::info.orders);
  constexpr auto all_places = places_of(Op::info.places);
  std::array<form, all_orders.size() * all_places.size()> forms{};
  for (std::size_t i = 0; i < forms.size(); ++i) {
    forms[i] = {.order = all_orders[i / all_places.size()],
                .placement = all_places[i % all_places.size()]};
  }
  return forms;
}

template <class Backend, class T, class Op> consteval auto forms_of_op() {
  if constexpr (requires { Backend::template forms_of<Op, T>(); }) {
    return Backend::template forms_of<Op, T>();
  } else {
    return orders_by_places<Op>();
  }
}

template <std::size_t... N> consteval auto concatenate(const std::array<measurable, N>&... parts) {
  std::array<measurable, (N + ... + 0)> all{};
  auto at = all.begin();
  ((at = std::copy(parts.begin(), parts.end(), at)), ...);
  return all;
}

/// Which rows of an op have code: those take the time to compile.
template <class Backend, class T, class Op> consteval auto code_of_rows() {
  constexpr auto forms = forms_of_op<Backend, T, Op>();
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<bool, sizeof...(I)>{
        runs_on<Op, lane_for<Backend, Op, typename Backend::template lane<T, forms[I]>>>...};
  }(std::make_index_sequence<forms.size()>{});
}

template <bool Keep, class Backend, class T, class Op> consteval std::size_t rows_with_code() {
  if constexpr (Keep) return std::ranges::count(code_of_rows<Backend, T, Op>(), true);
  else return 0;
}

/// The rows of an op that fall into a part of a table, of `all` rows with code, `before` of them
/// before this op's.
template <class Backend, class T, class Op, table_part Part, std::size_t Before, std::size_t All>
consteval auto rows_in_part() {
  check_shape<Op>();
  constexpr auto forms = forms_of_op<Backend, T, Op>();
  constexpr auto where = [] {
    std::size_t first = 0, number = 0, rows_before = Before;
    for (const bool has_code : code_of_rows<Backend, T, Op>()) {
      const std::size_t part = All == 0 ? 0 : std::min(rows_before * Part.of / All, Part.of - 1);
      if (part == Part.index) ++number;
      else if (number == 0) ++first;
      rows_before += has_code ? 1 : 0;
    }
    return std::pair{first, number};
  }();
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<measurable, sizeof...(I)>{
        make_row<Backend, T, Op, forms[where.first + I]>()...};
  }(std::make_index_sequence<where.second>{});
}

template <bool Keep, class Backend, class T, class Op, table_part Part, std::size_t Before,
          std::size_t All>
consteval auto rows_if() {
  if constexpr (Keep) return rows_in_part<Backend, T, Op, Part, Before, All>();
  else return std::array<measurable, 0>{};
}

template <bool Typed, class Backend, class T, table_part Part, class... Ops>
consteval auto bind(op_list<Ops...>) {
  static_assert(Part.index < Part.of, "the parts of a table are numbered from 0");
  constexpr std::array<std::size_t, sizeof...(Ops) + 1> before = [] {
    std::array<std::size_t, sizeof...(Ops) + 1> rows{
        0, rows_with_code<Ops::info.typed == Typed, Backend, T, Ops>()...};
    std::partial_sum(rows.begin(), rows.end(), rows.begin());
    return rows;
  }();
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return concatenate(
        rows_if<Ops::info.typed == Typed, Backend, T, Ops, Part, before[I], before.back()>()...);
  }(std::index_sequence_for<Ops...>{});
}

// By the first form: forms differ in values, not in words. T is void for ops without a type.
template <class Backend, class T, class Op> consteval void require_if_here() {
  if constexpr (Op::info.typed == !std::is_void_v<T>) {
    check_shape<Op>();
    using type = std::conditional_t<Op::info.typed, T, std::int32_t>;
    constexpr auto forms = forms_of_op<Backend, type, Op>();
    require_words<Op, lane_for<Backend, Op, typename Backend::template lane<type, forms[0]>>>();
  }
}
template <class Backend, class T, class... Ops> consteval void require_user(user_ops<Ops...>*) {
  (require_if_here<Backend, T, Ops>(), ...);
}
template <class Backend, class T> consteval void require_user(void*) {}

}  // namespace detail

/// The rows of the ops in the list that have a type axis, at type T, in the list's order.
template <class Backend, class T, table_part Part = table_part{}, class... Ops>
consteval auto bind_typed(op_list<Ops...> ops) {
  return detail::bind<true, Backend, T, Part>(ops);
}

/// The rows of the ops in the list that have no type axis. Their lane is instantiated at int32.
template <class Backend, table_part Part = table_part{}, class... Ops>
consteval auto bind_untyped(op_list<Ops...> ops) {
  return detail::bind<false, Backend, std::int32_t, Part>(ops);
}

/// bind_typed, or bind_untyped where T is void: one translation unit of a worker's table.
template <class Backend, class T, table_part Part, class Ops>
[[nodiscard]] std::vector<measurable> rows_of_part(Ops) {
  detail::require_user<Backend, T>(static_cast<Ops*>(nullptr));
  if constexpr (std::is_void_v<T>) {
    static constexpr auto rows = bind_untyped<Backend, Part>(Ops{});
    return {rows.begin(), rows.end()};
  } else {
    static constexpr auto rows = bind_typed<Backend, T, Part>(Ops{});
    return {rows.begin(), rows.end()};
  }
}

}  // namespace syncmeter
