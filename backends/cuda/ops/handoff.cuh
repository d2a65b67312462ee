// A flag handed from warp to warp: every way to write it, and every distance.
#pragma once

#include <array>

#include "core/op.hpp"
#include "core/ops/words.hpp"

namespace syncmeter::cuda::ops {

using syncmeter::has_token_ring;

consteval op_info handoff_info(std::string_view name, std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::handoff,
          .litmus = litmus::fence,
          .unroll = 4,
          .min_lanes = 2,
          .cost_per_lane = true,
          .communicates = true,
          .note = note};
}

consteval op_info cluster_handoff_info() {
  op_info info =
      handoff_info("cluster_handoff", "around a ring of all warps of one cluster of blocks");
  info.launching = launching::cluster;
  info.size_of = "blocks of a cluster";
  return info;
}

consteval op_info sm_handoff_info() {
  op_info info = handoff_info(
      "sm_handoff", "round trip between a warp on the first multiprocessor and one on another");
  info.size_of = "the other multiprocessor, counted from 1";
  return info;
}

/// A flag that says nothing of what was written before it is `relaxed`; `acq_rel` is acquire for
/// who waits and release for who hands on. PTX has volatile for relaxed.sys.
constexpr form handoff_form(flavour by, order o, scope s) {
  return {.order = o, .scope = s, .flavour = by};
}

struct warp_handoff {  // test - baseline == one more rotation; the cost is per handoff: divided by
                       // the warps
  static constexpr op_info info = handoff_info(
      "warp_handoff",
      "around a ring of warps: each waits for its flag, then sets that of the next warp");
  static constexpr std::array forms{
      handoff_form(flavour::ptx, order::acq_rel, scope::device),
      handoff_form(flavour::ptx, order::acq_rel, scope::block),
      handoff_form(flavour::ptx, order::acq_rel, scope::cluster),
      handoff_form(flavour::ptx, order::acq_rel, scope::system),
      handoff_form(flavour::ptx, order::relaxed, scope::device),
      handoff_form(flavour::ptx, order::relaxed, scope::block),
      handoff_form(flavour::ptx, order::relaxed, scope::cluster),
      handoff_form(flavour::ptx, order::relaxed, scope::system),
      handoff_form(flavour::volatile_access, order::relaxed, scope::system),
      handoff_form(flavour::volatile_access, order::acq_rel, scope::device),
      handoff_form(flavour::volatile_access, order::acq_rel, scope::block),
      handoff_form(flavour::volatile_access, order::acq_rel, scope::system),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::device),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::block),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::system),
      handoff_form(flavour::atomic_ref, order::relaxed, scope::device),
      handoff_form(flavour::atomic_ref, order::relaxed, scope::block),
      handoff_form(flavour::atomic_ref, order::relaxed, scope::system)};
  SM_FN static void common(has_token_ring auto& lane) { lane.await_token(), lane.pass_token(); }
  SM_FN static void measured(has_token_ring auto& lane) { common(lane); }
};

struct cluster_handoff {  // test - baseline == one more rotation, divided by the warps
  static constexpr op_info info = cluster_handoff_info();
  static constexpr std::array forms{handoff_form(flavour::ptx, order::acq_rel, scope::cluster),
                                    handoff_form(flavour::ptx, order::acq_rel, scope::device),
                                    handoff_form(flavour::ptx, order::relaxed, scope::cluster)};
  SM_FN static void common(has_token_ring auto& lane) { lane.await_token(), lane.pass_token(); }
  SM_FN static void measured(has_token_ring auto& lane) { common(lane); }
};

struct sm_handoff {  // test - baseline == there and back once more, divided by the two warps
  static constexpr op_info info = sm_handoff_info();
  static constexpr std::array forms{handoff_form(flavour::ptx, order::acq_rel, scope::device),
                                    handoff_form(flavour::ptx, order::relaxed, scope::device)};
  SM_FN static void common(has_token_ring auto& lane) { lane.await_token(), lane.pass_token(); }
  SM_FN static void measured(has_token_ring auto& lane) { common(lane); }
};

// Not a loop on the device: both sides launch one kernel, whose chain is longer by a trip on the
// test side (chain_rig.hpp).
struct handoff_chain {  // test - baseline == the warps of so many more blocks, in turn
  static constexpr op_info info{
      .name = "handoff_chain",
      .in_quick = false,
      .family = family::handoff,
      .litmus = litmus::fence,
      .unroll = 1,
      .min_lanes = 2,
      .cost_per_lane = true,
      .communicates = true,
      .note = "reproduction of a published test: every warp of the grid waits once for one flag, "
              "which relies on blocks starting in order; scope block is used inside a block, "
              "device between blocks"};
  static constexpr std::array forms{
      handoff_form(flavour::ptx, order::acq_rel, scope::device),
      handoff_form(flavour::ptx, order::acq_rel, scope::block),
      handoff_form(flavour::ptx, order::acq_rel, scope::system),
      handoff_form(flavour::ptx, order::relaxed, scope::device),
      handoff_form(flavour::ptx, order::relaxed, scope::block),
      handoff_form(flavour::ptx, order::relaxed, scope::system),
      handoff_form(flavour::volatile_access, order::relaxed, scope::system),
      handoff_form(flavour::volatile_access, order::acq_rel, scope::device),
      handoff_form(flavour::volatile_access, order::acq_rel, scope::system),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::device),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::block),
      handoff_form(flavour::atomic_ref, order::acq_rel, scope::system),
      handoff_form(flavour::atomic_ref, order::relaxed, scope::device)};
};

}  // namespace syncmeter::cuda::ops
