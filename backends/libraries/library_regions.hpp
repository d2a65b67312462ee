// Fork and join by oneTBB, behind calls that are not inlined.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/host/work_record.hpp"

namespace syncmeter::libraries {

/// An arena with a thread for each lane, and a record of the threads' work.
class tbb_work {
 public:
  explicit tbb_work(sharers who);
  ~tbb_work();
  tbb_work(const tbb_work&) = delete;
  tbb_work& operator=(const tbb_work&) = delete;

  struct arena;
  [[nodiscard]] arena& threads() { return *arena_; }
  [[nodiscard]] work_record& record() { return record_; }
  [[nodiscard]] const work_record& record() const { return record_; }
  /// Returns the lane numbers from 0.
  [[nodiscard]] std::span<const std::uint64_t> numbers() const { return numbers_; }

 private:
  work_record record_;
  std::unique_ptr<arena> arena_;
  std::vector<std::uint64_t> numbers_;
};

/// Ops with their number of items.
struct tbb_for {
  static void step(tbb_work& work);
  static std::uint64_t items(unsigned lanes) { return lanes; }
};
/// Loops with many items per lane, which a partitioner splits.
inline constexpr std::uint64_t indices_of_lane = 128;
struct tbb_loop {
  static std::uint64_t items(unsigned lanes) { return lanes * indices_of_lane; }
};
struct tbb_for_simple : tbb_loop {
  static void step(tbb_work& work);
};
struct tbb_for_auto : tbb_loop {
  static void step(tbb_work& work);
};
struct tbb_for_static : tbb_loop {
  static void step(tbb_work& work);
};
struct tbb_for_affinity : tbb_loop {
  static void step(tbb_work& work);
};
struct tbb_reduce {
  static void step(tbb_work& work);
  static std::uint64_t items(unsigned /*lanes*/) { return 1; }
};
struct tbb_group {
  static void step(tbb_work& work);
  static std::uint64_t items(unsigned lanes) { return lanes; }
};
struct std_for_each {
  static void step(tbb_work& work);
  static std::uint64_t items(unsigned lanes) { return lanes; }
};
struct tbb_execute {
  static void step(tbb_work& work);
  static std::uint64_t items(unsigned /*lanes*/) { return 1; }
};

}  // namespace syncmeter::libraries
