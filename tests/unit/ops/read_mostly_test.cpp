// Data that many read and few write: whose turn it is to write, and what the checks see.
#include "core/ops/read_mostly.hpp"

#include <gmock/gmock.h>

#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace syncmeter::ops {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(writing_turns, AreAsOftenAsTheRatioSaysWhateverTheLanes) {
  for (const unsigned lanes : {1U, 2U, 3U, 16U}) {
    for (const std::uint64_t period : {1U, 2U, 11U, 1001U, 100'001U}) {
      const writing_turns turns{.period = period, .lanes = lanes};
      const std::uint64_t ops = turns.least_ops();
      // A short period is whole: each lane writes once in it. Of a long one it is a lane's part.
      const std::uint64_t writes = ops == period ? lanes : 1;
      EXPECT_EQ(turns.writes_in(ops), writes) << period << " " << lanes;
      EXPECT_EQ(turns.writes_in(3 * ops), 3 * writes) << period << " " << lanes;
    }
  }
}

template <class Scheme> std::string wrong_after(unsigned lanes, unsigned reads, std::uint64_t ops) {
  shared_datum<Scheme> datum{{.lanes = lanes, .reads_per_write = reads, .size = 64}};
  std::vector<std::thread> threads;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    threads.emplace_back([&, lane] {
      for (std::uint64_t i = 0; i < ops; ++i) {
        datum.access(lane);
        if (i % 16 == 0) std::this_thread::yield();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return datum.wrong({.lanes = lanes, .ops = ops});
}

template <class Scheme> struct read_mostly_schemes : testing::Test {};
using all_schemes = testing::Types<under_mutex<std::mutex>, under_shared_mutex<std::shared_mutex>,
                                   seqlock, snapshot_pointer>;
TYPED_TEST_SUITE(read_mostly_schemes, all_schemes);

TYPED_TEST(read_mostly_schemes, TearNoReadAndLoseNoWrite) {
  EXPECT_THAT(wrong_after<TypeParam>(3, 3, 1000), IsEmpty());
  EXPECT_THAT(wrong_after<TypeParam>(3, 0, 300), IsEmpty());
  EXPECT_THAT(wrong_after<TypeParam>(1, 10, 300), IsEmpty());
}

// One lane is enough to see what each check is for.
struct faulty {
  explicit faulty(sharers) {}
  datum_state read(unsigned) { return {.version = stale ? 0 : last, .difference = torn ? 1U : 0U}; }
  std::uint64_t write(unsigned) {
    if (!lost || last == 0) ++last;
    return ++told;
  }
  std::uint64_t version() const { return last; }
  std::uint64_t last = 0, told = 0;
  static inline bool torn = false, stale = false, lost = false;
};

TEST(shared_datum, SaysWhatIsWrong) {
  const auto wrong = [] { return wrong_after<faulty>(1, 1, 20); };
  EXPECT_THAT(wrong(), IsEmpty());
  faulty::torn = true;
  EXPECT_THAT(wrong(), HasSubstr("words of different writes"));
  faulty::torn = false;
  faulty::stale = true;
  EXPECT_THAT(wrong(), HasSubstr("older than one that it had seen"));
  faulty::stale = false;
  faulty::lost = true;
  EXPECT_THAT(wrong(), Not(IsEmpty()));
  faulty::lost = false;
}

TEST(look_at, SeesEachWordOfATornRead) {
  for (std::size_t odd = 0; odd < 8; ++odd)
    EXPECT_NE(look_at(8, [odd](std::size_t i) { return i == odd ? 2U : 1U; }).difference, 0U);
  EXPECT_EQ(look_at(8, [](std::size_t) { return 5U; }).difference, 0U);
}

}  // namespace
}  // namespace syncmeter::ops
