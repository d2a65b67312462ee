// Memory for lanes that are processes.
#include "core/host/lane_memory.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>

namespace syncmeter {
namespace {

bool is_aligned(const void* p, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(p) % to == 0;
}

TEST(SharedPages, AForkedProcessWritesWhatThisOneReads) {
  shared_pages pages{1U << 16U};
  auto* const value = reinterpret_cast<volatile int*>(pages.take(sizeof(int), alignof(int), "it"));
  *value = 1;
  const pid_t child = ::fork();
  if (child == 0) {
    *value = 2;
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(*value, 2);
}

TEST(SharedPages, WhatIsTakenLiesApartAndAligned) {
  shared_pages pages{1U << 16U};
  std::byte* const small = pages.take(1, 1, "a byte");
  std::byte* const large = pages.take(100, 4096, "a page");
  std::byte* const behind = pages.take(1, 1, "a byte");
  EXPECT_GE(std::abs(behind - small), 128);
  EXPECT_TRUE(is_aligned(large, 4096));
  EXPECT_TRUE(is_aligned(behind, 128));
}

TEST(SharedPages, WhatComesBackInAnyOrderIsOneHoleAgain) {
  shared_pages pages{16384};
  for (int times = 0; times < 3; ++times) {
    std::byte* const a = pages.take(4096, 4096, "a");
    std::byte* const b = pages.take(4096, 4096, "b");
    std::byte* const c = pages.take(8192, 4096, "c");
    EXPECT_THROW((void)pages.take(1, 1, "more"), std::runtime_error);
    pages.give_back(b, 4096);
    pages.give_back(c, 8192);
    pages.give_back(a, 4096);
    std::byte* const whole = pages.take(16384, 4096, "all");
    EXPECT_EQ(whole, pages.data());
    pages.give_back(whole, 16384);
  }
}

TEST(SharedPages, WhatIsMissingIsNamed) {
  shared_pages pages{4096};
  try {
    (void)pages.take(5000, 1, "cells");
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "out of memory: 5000 bytes for cells");
  }
}

TEST(SharedPages, FreshPagesHoldNothingOfThoseBefore) {
  shared_pages pages{8192};
  std::byte* const first = pages.take_pages(4096, "pages");
  std::memset(first, 1, 4096);
  pages.give_back_pages(first, 4096);
  std::byte* const second = pages.take_pages(4096, "pages");
  ASSERT_EQ(second, first);
  EXPECT_EQ(second[0], std::byte{0});
}

TEST(SharedPages, OfOneFileAtOneAddressButNotOverOthers) {
  const int file = ::memfd_create("syncmeter-test", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(file, 4096), 0);
  std::byte* address = nullptr;
  {
    const shared_pages anywhere{4096};
    address = anywhere.data();
    EXPECT_THROW(shared_pages(file, 4096, address), std::runtime_error);
  }
  const shared_pages there{file, 4096, address};
  EXPECT_EQ(there.data(), address);
  ::close(file);
}

TEST(LaneMemory, AVectorOfLanesTakesFromTheSourceInUse) {
  lane_memory& heap = memory_of_lanes();
  shared_pages pages{4096};
  use_lane_memory(pages);
  {
    const std::vector<int, lane_allocator<int>> numbers(3, 7);
    EXPECT_EQ(static_cast<const void*>(numbers.data()), pages.data());
    const auto one = make_for_lanes<int>(5);
    EXPECT_GT(reinterpret_cast<std::byte*>(one.get()), pages.data());
  }
  use_lane_memory(heap);
  std::byte* const whole = pages.take(4096, 1, "all");
  EXPECT_EQ(whole, pages.data());
}

}  // namespace
}  // namespace syncmeter
