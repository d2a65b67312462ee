// The smallest backend that the seam accepts: one lane on the calling thread. The compile tests
// bind ops to it.
#pragma once

#include <cstdint>

#include "core/measurable.hpp"

namespace syncmeter {

class bench {};

}  // namespace syncmeter

namespace toy {

using namespace syncmeter;

/// A lane with a cell and an add, and without a barrier.
template <class T> struct lane {
  T value{};

  lane& cell() { return *this; }
  T one() const { return T{1}; }
  void atomic_add(lane& where, T operand) { where.value += operand; }
  T outcome() const { return value; }
};

template <class Lane> struct rig : bench {
  Lane lane;
  std::uint32_t trips = 1;
};

struct backend {
  template <class T, form> using lane = toy::lane<T>;

  template <class Op, int Count, class Lane> static void take(bench& rig, unsigned) {
    auto& on = static_cast<toy::rig<Lane>&>(rig);
    on.lane.value = loop<Op, Count>(on.lane, on.trips);
  }
  template <class Op, int Count, class Lane> static consteval lane_body body_of() {
    return &take<Op, Count, Lane>;
  }
  template <class Op, class Lane> static consteval code_finder code_of() { return nullptr; }
  template <class Op, class Lane> static consteval litmus_check litmus_of() { return nullptr; }
  static consteval std::string_view why_unsupported(const op_info&, std::optional<value_type>,
                                                    const form&) {
    return "a toy has few words";
  }
};

/// A well-formed untyped op; the cases take it and spoil one thing.
struct good_op {
  static constexpr op_info info{.name = "good", .family = family::control};
  SM_FN static void common(auto&) {}
  SM_FN static void measured(auto&) {}
};

}  // namespace toy
