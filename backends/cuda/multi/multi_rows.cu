// Rows over several devices: software barriers, adds to a common cell, and a token between two
// sides. Also each device's kernel, and the litmus checks.
#include "backends/cuda/lane/cuda_kernel.cuh"
#include "backends/cuda/multi/multi_host.hpp"
#include "backends/cuda/multi/multi_lane.cuh"
#include "backends/cuda/multi/multi_rig.hpp"
#include "core/op.hpp"

namespace syncmeter::cuda::ops {

consteval op_info multi_gpu_barrier_info(std::string_view name, across_devices kind,
                                         std::string_view note) {
  return {.name = name,
          .in_quick = false,
          .family = family::barrier,
          .litmus = litmus::barrier,
          .unroll = 4,
          .communicates = true,
          .note = note,
          .launching = launching::cooperative,
          .size_of = "devices",
          .kind = static_cast<std::uint8_t>(kind)};
}
// test - baseline == one barrier for all blocks on all devices
#define SM_MULTI_BARRIER(NAME, KIND, CALL, NOTE)                                                   \
  struct NAME {                                                                                    \
    static constexpr op_info info = multi_gpu_barrier_info(#NAME, across_devices::KIND, NOTE);     \
    static constexpr std::array forms{form{.scope = scope::system}};                               \
    SM_FN static void common(auto& lane) { lane.CALL(); }                                          \
    SM_FN static void measured(auto& lane) { lane.CALL(); }                                        \
  };
SM_MULTI_BARRIER(multi_gpu_barrier_counter, counter, barrier_counter,
                 "all devices increment and poll a counter on one of them")
SM_MULTI_BARRIER(multi_gpu_barrier_flags, other, barrier_flags,
                 "each device sets a flag on every other device")
SM_MULTI_BARRIER(multi_gpu_barrier_dissemination, other, barrier_dissemination,
                 "in each of log2(devices) rounds every device signals one other")
#undef SM_MULTI_BARRIER

struct multi_gpu_fetch_add {  // test - baseline == one more add to one cell by every lane on every
                              // device, results used
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
// The forms a program may use, by decreasing trust: the last form of each pair orders nothing
// beyond its device, or nothing at all.
inline constexpr std::array token_forms{
    form{.order = order::acq_rel, .scope = scope::system, .flavour = flavour::ptx},
    form{.order = order::acq_rel, .scope = scope::system, .flavour = flavour::function},
    form{.order = order::acq_rel, .scope = scope::system, .flavour = flavour::volatile_access},
    form{.order = order::relaxed, .scope = scope::system, .flavour = flavour::ptx},
    form{.order = order::relaxed, .scope = scope::system, .flavour = flavour::volatile_access},
    form{.order = order::acq_rel, .scope = scope::device, .flavour = flavour::ptx},
    form{.order = order::acq_rel, .scope = scope::device, .flavour = flavour::function},
    form{.order = order::acq_rel, .scope = scope::device, .flavour = flavour::volatile_access}};

struct gpu_handoff {  // test - baseline == one more round trip of the token to the other device:
                      // the cost is per one-way trip
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

struct cpu_gpu_handoff {  // test - baseline == one more round trip of the token to the host: the
                          // cost is per one-way trip
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

namespace syncmeter::cuda {

/// Releases all blocks on all devices together. All of them are known to run at once. Only loads
/// and stores cross devices, because some devices lack atomics between them. Returns false in all
/// lanes of a block that gave up.
SM_FN bool pass_multi_gate(const multi_setup& s, bounded_wait& waiter) {
  const auto word = [](std::byte* board, unsigned at) {
    return reinterpret_cast<unsigned*>(board + gate_at + at);
  };
  __syncthreads();
  if (lane_in_block() == 0) {
    unsigned* const go = word(s.board, board_line);
    if (add_acq_rel<scope::device>(word(s.board, 0), 1) + 1 == s.round * gridDim.x) {
      for (unsigned i = 0; i < s.devices; ++i)
        store_release<scope::system>(word(s.boards[i], (2 + s.self) * board_line), s.round);
      for (unsigned i = 0; i < s.devices; ++i) {
        const unsigned* const flag = word(s.board, (2 + i) * board_line);
        waiter.wait([&] { return load_acquire<scope::system>(flag) >= s.round; },
                    wait_timeout::at_gate, i);
      }
      store_release<scope::device>(go, s.round);
    }
    waiter.wait([&] { return load_acquire<scope::device>(go) >= s.round; }, wait_timeout::at_gate,
                s.self);
  }
  return __syncthreads_or(waiter.where() != 0) == 0;
}

SM_FN void report_wait(const bounded_wait& waited, multi_record& record) {
  if (waited.where() == 0) return;
  record.step = waited.step();
  record.where = waited.where();
}

template <class Op, int Count, class Lane>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    multi_kernel(const multi_setup s, const std::uint32_t trips) {
  multi_record& record = s.records[blockIdx.x];
  bounded_wait at_gate;
  const bool open = pass_multi_gate(s, at_gate);
  report_wait(at_gate, record);
  if (!open) return;
  const Lane lane{s};
  const clock_reading begin = read_timer_and_clock();
  const std::int64_t start = clock64();
  const auto done = loop<Op, Count>(lane, trips);
  const std::int64_t stop = clock64();
  const clock_reading end = read_timer_and_clock();
  report_wait(done.waited, record);
  if (lane_in_block() == 0) {
    record.start_ns = begin.ns;
    record.stop_ns = end.ns;
    record.lane_ns = end.ns - begin.ns;
    record.lane_cycles = stop - start;
  }
  if (done.sunk == 1) record.sunk = done.sunk;
}

/// Data without an order: a cache may delay plain stores or keep old lines.
SM_FN void store_weak(unsigned* p, unsigned v) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
SM_FN unsigned load_weak(const unsigned* p) {
  unsigned v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

/// Checks a barrier: every block writes its place, passes the barrier, and reads other blocks'
/// places, one per lane.
template <class Op, class Lane>
__global__ void multi_barrier_litmus(const multi_setup s, std::uint32_t) {
  bounded_wait at_gate;
  const bool open = pass_multi_gate(s, at_gate);
  report_wait(at_gate, s.records[blockIdx.x]);
  if (!open) return;
  Lane lane{s};
  const auto place = [&](unsigned block) {
    return reinterpret_cast<unsigned*>(s.boards[block / gridDim.x] + places_at) + block % gridDim.x;
  };
  const unsigned mine = s.self * gridDim.x + blockIdx.x;
  const unsigned other = (mine + 1 + lane_in_block()) % (gridDim.x * s.devices);
  for (unsigned round = 1; round <= litmus_rounds_over_devices; ++round) {
    if (lane_in_block() == 0) store_weak(place(mine), round);
    Op::measured(lane);
    if (load_weak(place(other)) != round)
      atomicAdd(reinterpret_cast<unsigned*>(s.board + forbidden_at), 1U);
    Op::measured(lane);
  }
  report_wait(lane.outcome().waited, s.records[blockIdx.x]);
}

/// Checks message passing, both ways: the token's owner reads the sender's earlier data, and writes
/// data for the next owner. One word is near the reader, one near the writer.
template <class Op, class Lane> __global__ void token_litmus(const multi_setup s, std::uint32_t) {
  bounded_wait at_gate;
  const bool open = pass_multi_gate(s, at_gate);
  report_wait(at_gate, s.records[blockIdx.x]);
  if (!open) return;
  Lane lane{s};
  unsigned wrong = 0;
  for (unsigned round = 1; round <= litmus_rounds_over_devices; ++round) {
    const unsigned token = lane.token();
    lane.await_token();
    // The other side wrote its token's number, except before the first token.
    if (token != 0 && load_weak(s.data) != token) ++wrong;
    if (token != 0 && load_weak(s.next_data + 1) != token) ++wrong;
    store_weak(s.next_data, token + 1);
    store_weak(s.data + 1, token + 1);
    lane.pass_token();
  }
  if (lane.outcome().waited.where() == 0)
    atomicAdd(reinterpret_cast<unsigned*>(s.board + forbidden_at), wrong);
  report_wait(lane.outcome().waited, s.records[blockIdx.x]);
}

namespace {

template <class Op, class Lane> const void* multi_stub(std::size_t index) {
  return index == 0 ? reinterpret_cast<const void*>(&multi_kernel<Op, 0, Lane>)
                    : reinterpret_cast<const void*>(&multi_kernel<Op, 1, Lane>);
}

template <class Op, class Lane> std::uint64_t run_multi_litmus(bench& rig) {
  if constexpr (Op::info.litmus == litmus::barrier) {
    return static_cast<multi_rig&>(rig).run_litmus(
        reinterpret_cast<const void*>(&multi_barrier_litmus<Op, Lane>));
  } else {
    return static_cast<multi_rig&>(rig).run_litmus(
        reinterpret_cast<const void*>(&token_litmus<Op, Lane>));
  }
}

}  // namespace

struct multi_backend {
  template <class T, form F>
  using lane = multi_lane<
      T, form_constant<F.order, F.placement, F.scope, F.flavour, F.space, F.some_lanes, F.size>>;
  static constexpr bool code_on_device = true;

  template <class Op, class T> static consteval auto forms_of() { return Op::forms; }
  template <class Op, class Lane> static consteval bool is_additive() { return false; }
  template <class Op, class Lane> static consteval code_finder code_of() {
    return &multi_stub<Op, Lane>;
  }
  template <class Op, class Lane> static consteval litmus_check litmus_of() {
    if constexpr (Op::info.litmus == litmus::none) return nullptr;
    else return &run_multi_litmus<Op, Lane>;
  }
  static consteval std::string_view why_unsupported(const op_info&, std::optional<value_type>,
                                                    const form&) {
    return "CUDA has no such operation";
  }
};

using multi_ops = op_list<ops::multi_gpu_barrier_counter, ops::multi_gpu_barrier_flags,
                          ops::multi_gpu_barrier_dissemination, ops::multi_gpu_fetch_add,
                          ops::gpu_handoff, ops::cpu_gpu_handoff>;

std::vector<measurable> multi_rows() {
  static constexpr auto rows = bind_untyped<multi_backend>(multi_ops{});
  return {rows.begin(), rows.end()};
}

// The kernels for host barriers and for graphs: an empty kernel, and a kernel that checks the
// order.
namespace {

__global__ void nothing() {}

// A different device is late in each round: a device without a wait sees an older round.
__global__ void look(round_board* board, unsigned self, unsigned devices) {
  constexpr std::int64_t late_ns = 20'000;
  volatile round_board::line* const lines = board->devices;
  const unsigned round = lines[self].rounds;
  for (unsigned d = 0; d < devices; ++d) {
    if (lines[d].rounds < round) lines[self].too_early = lines[self].too_early + 1;
  }
  if (round % devices == self) {
    const std::int64_t until = global_timer() + late_ns;
    while (global_timer() < until) {
    }
  }
  lines[self].rounds = round + 1;
  __threadfence_system();
}

}  // namespace

const void* empty_kernel() { return reinterpret_cast<const void*>(&nothing); }
const void* checking_kernel() { return reinterpret_cast<const void*>(&look); }

}  // namespace syncmeter::cuda
