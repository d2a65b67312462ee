// The rows of the one-shot chain, and its kernel.
#include "backends/cuda/handoff/chain_rig.hpp"
#include "backends/cuda/handoff/handoff_flag.cuh"
#include "backends/cuda/handoff/handoff_rows.hpp"
#include "backends/cuda/ops/handoff.cuh"
#include "backends/cuda/rig/cuda_backend.cuh"

namespace syncmeter::cuda {

// Scope block promises nothing across blocks: there the first warp of a block waits, and its last
// one hands on, at device scope, as in the article's program.
constexpr form across_blocks(form f) {
  if (f.scope == scope::block) f.scope = scope::device;
  return f;
}

// Of a warp that only waits: the flag does not come to hold it.
constexpr unsigned no_turn = chain_over - 1;

/// Polls until it is the turn of `warp` or of a later one; how often in vain. Gives up after a
/// while, and ends the chain.
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

// One lane of a warp. With data, each warp also writes a word of its own before it hands on, and
// looks at that of the warp before, whose line it has read while it was old.
template <class Form, bool WithData> SM_FN void be_a_link(const chain_setup& s) {
  using words = flag<Form::value, unsigned>;
  using words_across = flag<across_blocks(Form::value), unsigned>;
  const unsigned warp = blockIdx.x * warps_in(blockDim.x) + threadIdx.x / warp_size;
  unsigned before = 0;
  if constexpr (WithData) {
    if (warp > 0) before = load_data(s.data + warp - 1);
  }
  // Ready before the wait: what is fetched behind it is part of every handoff. All lanes have y 0,
  // which the compiler does not know: arguments alone it would fetch once more.
  unsigned* const flag = s.flag + threadIdx.y;
  const unsigned mine = warp + threadIdx.y < s.length ? warp : no_turn;
  const unsigned next = warp + threadIdx.y + 1 < s.length ? warp + 1 : chain_over;
  unsigned* const polls_of_warp = s.polls + warp + threadIdx.y;
  unsigned turn = 0, polls = 0;
  if (threadIdx.x == 0) polls = wait_for_turn<words_across>(s, flag, warp, turn);
  else polls = wait_for_turn<words>(s, flag, warp, turn);
  // Without data one fence stands between the load and the store, and is that of the store.
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
    // Who waits at scope block may keep what L1 has until somebody of the block stores.
    words::store(flag, chain_over);
  }
  *polls_of_warp = polls;
}

// Blocks are full, and two of them fill a multiprocessor. The other lanes of a warp wait for the
// one that works, as in the article's program: where they had ended, a release at scope block
// took 1.3 times as long on an H200.
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
  return static_cast<chain_rig&>(rig).look_at_messages(
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
