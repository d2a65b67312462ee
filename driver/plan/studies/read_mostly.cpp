// The study `read-mostly`: the whole curve of ratios at a fixed size, then more sizes at a fixed
// ratio.
#include "driver/plan/study.hpp"

namespace syncmeter {

study read_mostly_study() {
  const study_axes ratios{.lanes = lane_set::powers,
                          .reads_per_write = {1, 10, 100, 1000, 10'000, 100'000},
                          .sizes = {64}};
  study_axes sizes = ratios;
  sizes.reads_per_write = {100};
  sizes.sizes = {8, 256};
  return {.place = 13,
          .name = "read-mostly",
          .purpose = "data that many threads read and few write: locks, seqlock, snapshot",
          .rules = {{.ops = {"*_read_mostly"}, .axes = ratios},
                    {.ops = {"*_read_mostly"}, .axes = sizes}},
          .others = sizes,
          .native_only = true,
          .ops_together = true,
          .also = {"std", "posix", "libraries"},
          .left_out = "sizes other than 64 bytes at ratios other than 100 reads a write; affinity "
                      "spread; threads that only read beside threads that only write"};
}

}  // namespace syncmeter
