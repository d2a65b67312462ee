#include "backends/cuda/rig/host_loop.hpp"

namespace syncmeter::cuda {

sample host_loop_rig::take(std::size_t index, std::uint32_t trips) {
  require_built(*what_, index);
  const lane_body body = what_->by_count.at(index);
  trips_ = trips;
  begin_sample();
  const auto start = now_ns();
  body(*this, 0);
  wait();
  const auto stop = now_ns();
  const auto ops =
      std::uint64_t{trips} * what_->info.unroll * ops_in_step(what_->info, counts.at(index));
  sample taken;
  taken.span_ns = counted_ns(static_cast<double>(stop - start), ops);
  taken.failure = verdict(ops);
  return taken;
}

}  // namespace syncmeter::cuda
