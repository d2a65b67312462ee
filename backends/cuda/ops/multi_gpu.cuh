// Ops over several devices: barriers in software, adds to one cell by all, and a token handed from
// one side to the other.
#pragma once

#include <array>

#include "backends/cuda/ops/across_devices.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda::ops {

consteval op_info multi_gpu_barrier_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::barrier,
          .litmus = litmus::barrier,
          .unroll = 4,
          .communicates = true,
          .note = note,
          .launching = launching::cooperative,
          .size_of = "devices"};
}
inline constexpr std::array between_devices{form{.scope = scope::system}};

struct multi_gpu_barrier_counter {  // test - baseline == one barrier of all blocks of all devices
  static constexpr op_info info = [] {
    op_info counter = multi_gpu_barrier_info(
        "multi_gpu_barrier_counter", "all devices increment and poll a counter on one of them");
    counter.kind = static_cast<std::uint8_t>(across_devices::counter);
    return counter;
  }();
  static constexpr auto forms = between_devices;
  SM_FN static void common(auto& lane) { lane.barrier_counter(); }
  SM_FN static void measured(auto& lane) { lane.barrier_counter(); }
};

struct multi_gpu_barrier_flags {  // test - baseline == one barrier of all blocks of all devices
  static constexpr op_info info = multi_gpu_barrier_info(
      "multi_gpu_barrier_flags", "each device sets a flag on every other device");
  static constexpr auto forms = between_devices;
  SM_FN static void common(auto& lane) { lane.barrier_flags(); }
  SM_FN static void measured(auto& lane) { lane.barrier_flags(); }
};

struct multi_gpu_barrier_dissemination {  // test - baseline == one barrier of all blocks of all
                                          // devices
  static constexpr op_info info =
      multi_gpu_barrier_info("multi_gpu_barrier_dissemination",
                             "in each of log2(devices) rounds every device signals one other");
  static constexpr auto forms = between_devices;
  SM_FN static void common(auto& lane) { lane.barrier_dissemination(); }
  SM_FN static void measured(auto& lane) { lane.barrier_dissemination(); }
};

struct multi_gpu_fetch_add {  // test - baseline == one more add by every lane of every device to
                              // one cell, results used
  static constexpr op_info info{
      .name = "multi_gpu_fetch_add",
      .in_quick = false,
      .family = family::atomic,
      .oracle = oracle::adds,
      .communicates = true,
      .note = "all lanes of all devices add to one cell; fairness is between devices",
      .launching = launching::cooperative,
      .size_of = "devices"};
  static constexpr std::array forms{
      form{.order = order::relaxed, .scope = scope::system, .flavour = flavour::ptx}};
  SM_FN static void common(auto& lane) { lane.fetch_add(); }
  SM_FN static void measured(auto& lane) { lane.fetch_add(); }
};

consteval op_info token_info(std::string_view name, std::string_view sides, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::handoff,
          .litmus = litmus::fence,
          .unroll = 4,
          .cost_per_lane = true,
          .communicates = true,
          .note = note,
          .size_of = sides};
}
// What a program may write, by decreasing trust: the last of each pair orders nothing beyond its
// device, or nothing at all.
inline constexpr std::array token_forms{
    form{.order = order::acq_rel, .scope = scope::system, .flavour = flavour::ptx},
    form{.order = order::acq_rel, .scope = scope::system, .flavour = flavour::function},
    form{.order = order::acq_rel, .scope = scope::system, .flavour = flavour::volatile_access},
    form{.order = order::relaxed, .scope = scope::system, .flavour = flavour::ptx},
    form{.order = order::relaxed, .scope = scope::system, .flavour = flavour::volatile_access},
    form{.order = order::acq_rel, .scope = scope::device, .flavour = flavour::ptx},
    form{.order = order::acq_rel, .scope = scope::device, .flavour = flavour::function},
    form{.order = order::acq_rel, .scope = scope::device, .flavour = flavour::volatile_access}};

struct gpu_handoff {  // test - baseline == one more way of the token to the other device and back;
                      // the cost is that of one way
  static constexpr op_info info = [] {
    op_info between =
        token_info("gpu_handoff", "devices", "a flag in the memory of the device that waits");
    between.launching = launching::cooperative;
    return between;
  }();
  static constexpr auto forms = token_forms;
  SM_FN static void common(auto& lane) { lane.await_token(), lane.pass_token(); }
  SM_FN static void measured(auto& lane) { common(lane); }
};

struct cpu_gpu_handoff {  // test - baseline == one more way of the token to the host and back; the
                          // cost is that of one way
  static constexpr op_info info = [] {
    op_info with_host =
        token_info("cpu_gpu_handoff", "sides", "a flag in pinned memory of the host, both ways");
    with_host.kind = static_cast<std::uint8_t>(across_devices::with_host);
    return with_host;
  }();
  static constexpr auto forms = token_forms;
  SM_FN static void common(auto& lane) { lane.await_token(), lane.pass_token(); }
  SM_FN static void measured(auto& lane) { common(lane); }
};

}  // namespace syncmeter::cuda::ops
