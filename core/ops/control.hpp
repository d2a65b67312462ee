// Controls: ops whose cost is known before they are measured. A tool that gets these wrong is
// wrong.
#pragma once

#include <array>
#include <bit>

#include "core/op.hpp"
#include "core/ops/words.hpp"

namespace syncmeter::ops {

struct control_aa {  // test - baseline == nothing: the interval must hold 0
  static constexpr op_info info{.name = "control_aa",
                                .family = family::control,
                                .empty_on_purpose = true,
                                .note = "A/A test: both loops are equal; must not be resolved"};
  SM_FN static void common(has_multiply auto& lane) { lane.multiply(); }
  SM_FN static void measured(has_multiply auto&) {}
};

template <int K>
struct control_multiply {  // test - baseline == K dependent multiplies, K = 1, 2, 4, 8
  static constexpr std::array<std::string_view, 4> names{
      "control_multiply_1", "control_multiply_2", "control_multiply_4", "control_multiply_8"};
  static constexpr op_info info{.name = names[std::countr_zero(static_cast<unsigned>(K))],
                                .in_quick = K == 1,
                                .family = family::control,
                                .typed = true,
                                .note =
                                    "known cost: as many dependent multiplies as its name says"};
  SM_FN static void common(has_multiply auto& lane) { lane.multiply(); }
  SM_FN static void measured(has_multiply auto& lane) {
    chain(lane, std::make_index_sequence<K>{});
  }

 private:
  template <std::size_t... I> SM_FN static void chain(auto& lane, std::index_sequence<I...>) {
    ((void(I), lane.multiply()), ...);
  }
};

}  // namespace syncmeter::ops
