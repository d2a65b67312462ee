// Rows and kernels of handoffs: tokens around a ring of warps, a token between two multiprocessors,
// the one-shot chain.
#include "backends/cuda/handoff/handoff.cuh"
#include "backends/cuda/handoff/ring_rows.cuh"

namespace syncmeter::cuda {

std::vector<measurable> ring_rows() {
  static constexpr auto rows =
      bind_untyped<ring_backend<handoff_lane>>(op_list<ops::warp_handoff, ops::cluster_handoff>{});
  return {rows.begin(), rows.end()};
}

/// Returns this block's end of the pair, 0 or 1, or 2 for none. Waits until all blocks have
/// reported their places: none may start on a place already left by another block.
SM_FN unsigned find_end(const pair_setup& s) {
  const unsigned at = multiprocessor();
  const unsigned rank = at < s.multiprocessors ? atomicAdd(s.here + at, 1U) : 2U;
  atomicAdd(s.arrived, 1U);
  for (unsigned polls = 0; *const_cast<volatile unsigned*>(s.arrived) < gridDim.x; ++polls) {
    if (polls == most_polls / 8) return 2;
  }
  if (at == 0 && rank == 0) return 0;
  return at == s.partner && rank == (s.partner == 0 ? 1U : 0U) ? 1 : 2;
}

// Two blocks use all threads of a multiprocessor: 32 registers each. Everything outside the loop is
// in memory while the loop runs.
template <class Op, int Count, class Lane>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    pair_kernel(const pair_setup s, const std::uint32_t trips) {
  if (threadIdx.x != 0) return;
  const unsigned end = find_end(s);
  if (end > 1) return;
  pair_record& record = s.ends[end];
  const Lane lane{s.flags, end, 2};
  const clock_reading begin = read_timer_and_clock();
  record.lane_ns = begin.ns;
  record.lane_cycles = begin.cycles_twice;
  const std::int64_t start = clock64();
  record.cycles = start;
  const auto done = loop<Op, Count>(lane, trips);
  const std::int64_t stop = clock64();
  const clock_reading finish = read_timer_and_clock();
  record.cycles = stop - record.cycles;
  record.lane_ns = finish.ns - record.lane_ns;
  record.lane_cycles = (finish.cycles_twice - record.lane_cycles) / 2;
  record.polls = done.outcome.tally;
  record.multiprocessor = static_cast<unsigned>(done.outcome.operand);
  record.ran = 1;
}

template <class Op, class Lane>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    pair_litmus(const pair_setup s, const std::uint32_t rounds) {
  if (threadIdx.x != 0) return;
  const unsigned end = find_end(s);
  if (end > 1) return;
  Lane lane{s.flags, end, 2};
  unsigned used = 0;
  const unsigned stale = stale_messages(lane, s.data, rounds, used);
  pair_record& record = s.ends[end];
  record.cycles = used;
  record.stale = stale;
  record.polls = lane.polls();
  record.multiprocessor = multiprocessor();
  record.ran = 1;
}

template <class Op, class Lane> const void* pair_stub_at(std::size_t index) {
  return index == 0 ? reinterpret_cast<const void*>(&pair_kernel<Op, 0, Lane>)
                    : reinterpret_cast<const void*>(&pair_kernel<Op, 1, Lane>);
}

template <class Op, class Lane> std::uint64_t run_pair_litmus(bench& rig) {
  return static_cast<pair_rig&>(rig).run_message_litmus(
      reinterpret_cast<const void*>(&pair_litmus<Op, Lane>));
}

struct pair_backend : backend_of<handoff_lane> {
  template <class Op, class Lane> static consteval bool is_additive() { return false; }
  template <class Op, class Lane> static consteval code_finder code_of() {
    return &pair_stub_at<Op, Lane>;
  }
  template <class Op, class Lane> static consteval litmus_check litmus_of() {
    return &run_pair_litmus<Op, Lane>;
  }
};

std::vector<measurable> pair_rows() {
  static constexpr auto rows = bind_untyped<pair_backend>(op_list<ops::sm_handoff>{});
  return {rows.begin(), rows.end()};
}

// Scope block promises nothing across blocks. Between blocks the first warp waits and the last warp
// hands on at device scope, like the article's program.
constexpr form across_blocks(form f) {
  if (f.scope == scope::block) f.scope = scope::device;
  return f;
}

// The turn of a warp that only waits: the flag never has this value.
constexpr unsigned no_turn = chain_over - 1;

/// Polls until the turn of `warp` or a later warp, and returns the number of failed polls. Ends the
/// chain after its deadline.
template <class Words>
SM_FN unsigned wait_for_turn(const chain_setup& s, unsigned* flag, unsigned warp, unsigned& turn) {
  const std::int64_t deadline = global_timer() + chain_deadline_ns;
  unsigned polls = 0;
  while (true) {
    turn = Words::load(flag);
    if (turn >= warp) return polls;
    ++polls;
    constexpr unsigned polls_between_looks = 1024;
    if (polls % polls_between_looks != 0) continue;
    if (global_timer() > deadline) {
      atomicAdd(s.timed_out, 1U);
      *const_cast<volatile unsigned*>(flag) = chain_over;
      return polls;
    }
  }
}

// Runs one lane of a warp. With data, each warp also writes its own word before it hands on. It
// checks the previous warp's word, whose line it has read while the word was old.
template <class Form, bool WithData> SM_FN void be_a_link(const chain_setup& s) {
  using words = flag<Form::value, unsigned>;
  using words_across = flag<across_blocks(Form::value), unsigned>;
  const unsigned warp = blockIdx.x * warps_in(blockDim.x) + threadIdx.x / warp_size;
  unsigned before = 0;
  if constexpr (WithData) {
    if (warp > 0) before = load_data(s.data + warp - 1);
  }
  // Precomputed, because fetches after the wait would belong to every handoff. All lanes have y 0,
  // but the compiler does not know. It would fetch plain arguments again.
  unsigned* const flag = s.flag + threadIdx.y;
  const unsigned mine = warp + threadIdx.y < s.length ? warp : no_turn;
  const unsigned next = warp + threadIdx.y + 1 < s.length ? warp + 1 : chain_over;
  unsigned* const polls_of_warp = s.polls + warp + threadIdx.y;
  unsigned turn = 0, polls = 0;
  if (threadIdx.x == 0) polls = wait_for_turn<words_across>(s, flag, warp, turn);
  else polls = wait_for_turn<words>(s, flag, warp, turn);
  // Without data only the store's fence remains between the load and the store.
  if constexpr (WithData) words::after_load();
  if (turn == mine) {
    if constexpr (WithData) {
      const bool sound = warp == 0 || (load_data(s.data + warp - 1) == warp && before <= warp);
      if (!sound) atomicAdd(s.stale, 1ULL);
      store_data(s.data + warp, warp + 1);
    }
    if (threadIdx.x + warp_size >= blockDim.x) words_across::store(flag, next);
    else words::store(flag, next);
  } else if (Form::value.scope == scope::block && threadIdx.x == 0 && turn == chain_over) {
    // A waiter at scope block may keep its L1 line until a thread of its block stores.
    words::store(flag, chain_over);
  }
  *polls_of_warp = polls;
}

// Blocks are full, and two fill a multiprocessor. The other lanes of a warp wait for the working
// lane, like the article's program. If they had ended, a release at scope block took 1.3 times
// longer on an H200.
template <class Form, bool WithData>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    chain_kernel(const chain_setup s) {
  if (threadIdx.x % warp_size == 0) be_a_link<Form, WithData>(s);
  __syncwarp();
}

template <class Form> void launch_chain(bench& rig, unsigned) {
  static_cast<chain_rig&>(rig).launch(reinterpret_cast<const void*>(&chain_kernel<Form, false>));
}

template <class Form> std::uint64_t run_chain_litmus(bench& rig) {
  return static_cast<chain_rig&>(rig).run_message_litmus(
      reinterpret_cast<const void*>(&chain_kernel<Form, true>));
}

template <form F> consteval measurable chain_row() {
  using form_type = form_constant<F.order, F.placement, F.scope, F.flavour, F.space, F.some_lanes>;
  return {.info = ops::handoff_chain::info,
          .form = F,
          .built = 2,
          .by_count = {&launch_chain<form_type>, &launch_chain<form_type>},
          .litmus = &run_chain_litmus<form_type>};
}

std::vector<measurable> chain_rows() {
  constexpr auto& forms = ops::handoff_chain::forms;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return std::vector<measurable>{chain_row<forms[I]>()...};
  }(std::make_index_sequence<forms.size()>{});
}

}  // namespace syncmeter::cuda
