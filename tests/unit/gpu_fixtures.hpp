// The capabilities of a made-up GPU worker: a small device, and ops with every kind of axis.
#pragma once

#include <string>
#include <vector>

#include "driver/plan/plan.hpp"

namespace syncmeter::fixtures {

/// 10 multiprocessors of 2048 threads and 32 blocks.
inline gpu_device small_gpu(unsigned index = 0, const std::string& name = "Small GPU") {
  return {.index = index,
          .name = name,
          .compute_capability = "9.0",
          .uuid = "GPU-" + std::to_string(index),
          .multiprocessors = 10,
          .max_threads_per_block = 1024,
          .max_threads_per_multiprocessor = 2048,
          .max_blocks_per_multiprocessor = 32,
          .warp_size = 32,
          .l2_bytes = 1 << 20,
          .memory_bytes = 1 << 30};
}

inline capability gpu_row(const std::string& op, const std::string& family,
                          std::optional<value_type> type = {}) {
  capability row;
  row.backend = "cuda";
  row.op = op;
  row.family = family;
  row.pairing = "self";
  row.type = type;
  row.supported = true;
  row.symbols = {"kernel_0", "kernel_1"};
  return row;
}

/// atomic_add at int32 and float: shared and strided, first by function (device, then block), then
/// by atomic_ref with two orders, and the first once more with lanes switched off.
inline void add_atomics(std::vector<capability>& rows) {
  for (const value_type type : {value_type::int32, value_type::float32}) {
    for (const placement where : {placement::shared, placement::strided}) {
      capability row = gpu_row("atomic_add", "atomic", type);
      row.placements = {where};
      row.order = order::relaxed;
      row.space = space::global;
      row.flavour = flavour::function;
      row.additivity = type == value_type::int32;
      for (const scope s : {scope::device, scope::block}) {
        row.scope = s;
        rows.push_back(row);
      }
      row.scope = scope::device;
      row.some_lanes = true;
      rows.push_back(row);
      row.some_lanes = false;
      row.flavour = flavour::atomic_ref;
      for (const order o : {order::relaxed, order::seq_cst}) {
        row.order = o;
        rows.push_back(row);
      }
    }
  }
}

inline worker_info cuda_worker() {
  worker_info worker;
  worker.name = "cuda";
  worker.path = "/nowhere/syncmeter-cuda";
  worker.backends = {"cuda"};
  worker.gpus["cuda"] = {.architectures = {"sm_90"}, .devices = {small_gpu()}};
  auto& rows = worker.capabilities;
  rows.push_back(gpu_row("barrier", "barrier"));
  rows.back().communicates = true;
  add_atomics(rows);
  rows.push_back(gpu_row("atomic_cas_pass", "atomic", value_type::float32));
  rows.back().placements = {placement::shared};
  rows.back().supported = false;
  rows.back().reason = "there is no compare-and-swap of floating types";
  rows.push_back(gpu_row("handoff", "handoff"));
  rows.back().min_lanes = 2;
  rows.back().communicates = true;
  rows.back().scope = scope::device;
  for (const scope s : {scope::block, scope::device, scope::system}) {
    rows.push_back(gpu_row("fence", "fence"));
    rows.back().scope = s;
  }
  rows.push_back(gpu_row("memory_latency_l2", "memory"));
  rows.push_back(gpu_row("control_aa", "control"));
  rows.back().empty_on_purpose = true;
  rows.push_back(gpu_row("critical_add", "critical", value_type::int32));
  rows.back().placements = {placement::shared};
  rows.back().communicates = true;
  return worker;
}

}  // namespace syncmeter::fixtures
