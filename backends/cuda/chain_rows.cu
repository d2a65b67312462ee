// The rows of the one-shot chain, and its kernel.
#include "backends/cuda/chain_rig.hpp"
#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/handoff_flag.cuh"
#include "backends/cuda/handoff_rows.hpp"
#include "backends/cuda/ops/handoff.cuh"

namespace syncmeter::cuda {

// Scope block promises nothing across blocks: there the first warp of a block waits, and its last
// one hands on, at device scope, as in the article's program.
constexpr form across_blocks(form f) {
  if (f.scope == scope::block) f.scope = scope::device;
  return f;
}

/// Polls until it is the turn of `warp` or of a later one; how often in vain. Gives up after a
/// while, and ends the chain.
template <class Words>
SM_FN unsigned wait_for_turn(const chain_setup& s, unsigned warp, unsigned& turn) {
  const std::int64_t deadline = global_timer() + chain_deadline_ns;
  unsigned polls = 0;
  // Two loops: in one, the compiler would read the timer at every poll.
  while (true) {
    constexpr unsigned polls_between_looks = 1024;
    SM_ROLLED for (unsigned left = polls_between_looks; left > 0; --left) {
      turn = Words::load(s.flag);
      if (turn >= warp) return polls;
      ++polls;
    }
    if (global_timer() > deadline) {
      atomicAdd(s.gave_up, 1U);
      *const_cast<volatile unsigned*>(s.flag) = chain_over;
      return polls;
    }
  }
}

// Blocks are full, and two of them fill a multiprocessor. One lane of each warp works. With data,
// each warp also writes a word of its own before it hands on, and looks at that of the warp before,
// whose line it has read while it was old.
template <class Form, bool WithData>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    chain_kernel(const chain_setup s) {
  using words = flag<Form::value, unsigned>;
  using words_across = flag<across_blocks(Form::value), unsigned>;
  if (threadIdx.x % warp_size != 0) return;
  const unsigned warp = blockIdx.x * warps_in(blockDim.x) + threadIdx.x / warp_size;
  unsigned before = 0;
  if constexpr (WithData) {
    if (warp > 0) before = load_data(s.data + warp - 1);
  }
  unsigned turn = 0, polls = 0;
  if (threadIdx.x == 0) polls = wait_for_turn<words_across>(s, warp, turn);
  else polls = wait_for_turn<words>(s, warp, turn);
  // Without data one fence stands between the load and the store, and is that of the store.
  if constexpr (WithData) words::after_load();
  // Who waits at scope block may keep what L1 has until somebody of the block stores.
  if constexpr (Form::value.scope == scope::block) {
    if (threadIdx.x == 0 && turn == chain_over) words::store(s.flag, chain_over);
  }
  if (turn == warp && warp < s.length) {
    if constexpr (WithData) {
      const bool sound = warp == 0 || (load_data(s.data + warp - 1) == warp && before <= warp);
      if (!sound) atomicAdd(s.stale, 1ULL);
      store_data(s.data + warp, warp + 1);
    }
    const unsigned next = warp + 1 < s.length ? warp + 1 : chain_over;
    if (threadIdx.x + warp_size >= blockDim.x) words_across::store(s.flag, next);
    else words::store(s.flag, next);
  }
  s.polls[warp] = polls;
}

template <class Form, int Count> sample take_chain(void* rig, std::uint32_t trips) {
  return static_cast<chain_rig*>(rig)->run(
      reinterpret_cast<const void*>(&chain_kernel<Form, false>), Count, trips);
}

template <class Form> std::uint64_t run_chain_litmus(void* rig) {
  return static_cast<chain_rig*>(rig)->look_at_messages(
      reinterpret_cast<const void*>(&chain_kernel<Form, true>));
}

template <form F> consteval measurable chain_row() {
  using form_type = form_constant<F.order, F.placement, F.scope, F.flavour, F.space, F.some_lanes>;
  return {.info = ops::handoff_chain::info,
          .form = F,
          .by_count = {&take_chain<form_type, 0>, &take_chain<form_type, 1>},
          .litmus = &run_chain_litmus<form_type>};
}

std::vector<measurable> chain_rows() {
  constexpr auto& forms = ops::handoff_chain::forms;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return std::vector<measurable>{chain_row<forms[I]>()...};
  }(std::make_index_sequence<forms.size()>{});
}

}  // namespace syncmeter::cuda
