// Adds of doubles: ops and rows.
#include "backends/cuda/accumulate/accumulate.cuh"

namespace syncmeter::cuda {

namespace ops {

SM_CUDA_ACCUMULATE(accumulate_atomic_double, double, atomic,
                   "16 double adds per thread: atomicAdd for each")
SM_CUDA_ACCUMULATE(accumulate_cas_double, double, cas,
                   "16 double adds per thread: a loop around atomicCAS of 64 bits for each")
SM_CUDA_ACCUMULATE(accumulate_exchange_double, double, exchange,
                   "16 double adds per thread: two atomicExch of 64 bits for each, until nothing "
                   "came between")
SM_CUDA_ACCUMULATE(accumulate_warp_match_double, double, warp_match,
                   "as accumulate_warp_match, of doubles")
SM_CUDA_ACCUMULATE(accumulate_warp_reduce_double, double, warp_reduce,
                   "as accumulate_warp_reduce, of doubles")
SM_CUDA_ACCUMULATE(accumulate_block_double, double, block, "as accumulate_block, of doubles")
SM_CUDA_ACCUMULATE(accumulate_block_reduce_double, double, block_reduce,
                   "as accumulate_block_reduce, of doubles")
SM_CUDA_ACCUMULATE(accumulate_block_match_double, double, block_match,
                   "as accumulate_block_match, of doubles")
SM_CUDA_ACCUMULATE(accumulate_block_by_bulk_double, double, block_by_bulk,
                   "as accumulate_block_by_bulk, of doubles")

}  // namespace ops

using accumulate_double_ops =
    op_list<ops::accumulate_atomic_double, ops::accumulate_cas_double,
            ops::accumulate_exchange_double, ops::accumulate_warp_match_double,
            ops::accumulate_warp_reduce_double, ops::accumulate_block_double,
            ops::accumulate_block_reduce_double, ops::accumulate_block_match_double,
            ops::accumulate_block_by_bulk_double>;

template <class T, class Form> using double_lane = accumulate_lane<double, T, Form>;

std::vector<measurable> accumulate_double_rows() {
  static constexpr auto rows = bind_untyped<backend_of<double_lane>>(accumulate_double_ops{});
  return {rows.begin(), rows.end()};
}

}  // namespace syncmeter::cuda
