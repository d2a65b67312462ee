// Records of the probe, written here by hand: what is read of them.
#include "driver/advise/counts.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "probe/tables.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace syncmeter::counts_test {
namespace {

/// A file of the probe, block by block.
class record {
 public:
  record() {
    head_.pid = 1;
    std::memcpy(head_.layout, probe::layout_of_build, sizeof head_.layout);
    std::strcpy(head_.program, "/bin/app");
  }
  template <class Block>
  record& add(probe::block_type type, const Block& content, const std::string& text = "") {
    Block block = content;
    std::string bytes(sizeof block, '\0');
    const std::size_t with_text = sizeof block + (text.empty() ? 0 : text.size() + 1);
    block.head = {type, static_cast<std::uint32_t>((with_text + 63) / 64 * 64)};
    std::memcpy(bytes.data(), &block, sizeof block);
    bytes += text;
    bytes.resize(block.head.bytes);
    blocks_ += bytes;
    return *this;
  }
  record& add_row(const probe::row& row, std::uint32_t thread = 0) {
    struct {
      probe::rows_block head;
      probe::row row;
    } block{};
    block.head.rows = 1;
    block.head.thread = thread;
    block.row = row;
    block.head.head = {probe::block_type::rows, sizeof block};
    blocks_.append(reinterpret_cast<const char*>(&block), sizeof block);
    return *this;
  }
  record& of_another_build() {
    head_.layout[sizeof head_.layout - 1] ^= 1;
    return *this;
  }
  record& cannot_grow(int error) {
    head_.growth_error = error;
    return *this;
  }
  record& end_with(std::uint64_t run_delay_ns, std::uint64_t without_run_delay = 0) {
    head_.has_ended = 1;
    head_.run_delay_ns = run_delay_ns;
    head_.without_run_delay = without_run_delay;
    return *this;
  }
  void write_to(const std::string& folder, int number) {
    head_.used_bytes = sizeof head_ + blocks_.size();
    std::ofstream file(folder + "/" + std::to_string(number) + probe::file_suffix,
                       std::ios::binary);
    file.write(reinterpret_cast<const char*>(&head_), sizeof head_);
    file << blocks_;
  }

 private:
  probe::file_header head_{};
  std::string blocks_;
};

using ReadCounts = test::in_temporary_folder;

TEST_F(ReadCounts, WhyCudaIsNotCountedStandsOnceForAllProcesses) {
  for (const int number : {1, 2, 3})
    record()
        .add(probe::block_type::problem, probe::problem_block{},
             number == 3 ? "another tool" : "no libcupti.so")
        .write_to(folder(), number);
  const call_counts all = read_counts({folder()}, 0);
  EXPECT_EQ(all.processes, 3U);
  std::vector<std::string> problems = all.problems_of_cuda;
  std::ranges::sort(problems);
  EXPECT_EQ(problems, (std::vector<std::string>{"another tool", "no libcupti.so"}));
}

TEST_F(ReadCounts, WhatTheGpuDidIsAddedByTheSiteThatCalled) {
  const std::uint64_t begin = 0x400000;
  probe::module_block module{};
  module.first = begin;
  module.end = begin + 0x1000;
  module.base = begin;
  // One row for each thread; of the GPU one block for both.
  const auto launches = static_cast<std::uint32_t>(probe::kind::kernel_launch);
  probe::device_block device{};
  device.address = begin + 0x101;
  device.kind = launches;
  device.works = 3;
  device.first_start = 100;
  device.last_end = 900;
  device.busy.sum_ns = 60;
  device.busy.buckets[probe::bucket_of(20)] = 3;
  device.idle.sum_ns = 700;
  device.idle.buckets[probe::bucket_of(300)] = 2;
  // Whichever of them is read first.
  for (const int longer : {1, 2}) {
    for (const int number : {1, 2}) {
      probe::device_block of_process = device;
      if (number != longer) of_process.first_start = 50, of_process.last_end = 800;
      probe::row row{};
      row.address = device.address;
      row.count = 4;
      row.kind = launches;
      record()
          .add(probe::block_type::module, module)
          .add(probe::block_type::device, of_process)
          .add_row(row)
          .write_to(folder(), number);
    }
    const call_counts all = read_counts({folder()}, 0);
    ASSERT_EQ(all.sites.size(), 1U);
    const site& of = all.sites.front();
    EXPECT_EQ(all.gpu_processes, 2U);
    EXPECT_EQ(of.kind, "kernel_launch");
    EXPECT_EQ(of.module, "/bin/app");
    EXPECT_EQ(of.offset, 0x100U);
    EXPECT_EQ(of.count, 8U);
    ASSERT_TRUE(of.device);
    EXPECT_EQ(of.device->works, 6U);
    EXPECT_EQ(of.device->first_ns, 50U);
    EXPECT_EQ(of.device->last_ns, 900U);
    EXPECT_DOUBLE_EQ(of.device->busy.sum_ns, 120);
    EXPECT_DOUBLE_EQ(of.device->idle.sum_ns, 1400);
    EXPECT_NEAR(of.device->busy.median_ns, 20, 5);
    EXPECT_NEAR(of.device->idle.median_ns, 300, 60);
  }
}

TEST_F(ReadCounts, TheTimeWithoutAProcessorIsOfProcessesWhoseThreadsMet) {
  const auto of_threads = [](std::uint64_t threads) {
    probe::times_block times{};
    times.address = 1;
    times.kind =
        static_cast<std::uint32_t>(threads > 0 ? probe::kind::barrier : probe::kind::mutex_lock);
    times.threads = threads;
    times.timed = times.every = 1;
    return record().add(probe::block_type::times, times);
  };
  of_threads(2).end_with(1'000'000'000).write_to(folder(), 1);
  of_threads(2).end_with(500'000'000).write_to(folder(), 2);
  of_threads(0).end_with(70'000'000).write_to(folder(), 3);
  of_threads(0).write_to(folder(), 4);
  EXPECT_EQ(read_counts({folder()}, 0).run_delay_s, 1.5);
  of_threads(2).end_with(1, 1).write_to(folder(), 5);
  EXPECT_EQ(read_counts({folder()}, 0).run_delay_s, std::nullopt) << "of a thread it is not known";
  of_threads(2).end_with(0).write_to(folder(), 5);
  EXPECT_EQ(read_counts({folder()}, 0).run_delay_s, 1.5);
  of_threads(2).write_to(folder(), 6);
  EXPECT_EQ(read_counts({folder()}, 0).run_delay_s, std::nullopt) << "it was killed";
}

TEST_F(ReadCounts, ABarrierThatThreadsCallFromSeveralPlacesIsOneSite) {
  probe::module_block module{};
  module.first = module.base = 0x400000;
  module.end = module.first + 0x1000;
  record file;
  file.add(probe::block_type::module, module);
  // The first thread of four is mostly at one of three places, and counts there; nobody else waits.
  const auto add = [&](std::uint64_t place, std::uint64_t count, std::uint64_t timed,
                       std::uint64_t met_at) {
    probe::row row{};
    row.address = module.first + place;
    row.count = count;
    row.kind = static_cast<std::uint32_t>(probe::kind::barrier);
    row.team = 4;
    file.add_row(row);
    probe::times_block times{};
    times.address = row.address;
    times.kind = row.kind;
    times.row_team = 4;
    times.threads = 4;
    times.every = 1;
    times.timed = timed;
    times.until_last.sum_ns = 100 * timed;
    times.met_at = met_at == 0 ? 0 : module.first + met_at;
    file.add(probe::block_type::times, times);
  };
  add(0x201, 9, 9, 0);
  add(0x101, 0, 20, 0x201);
  add(0x301, 1, 11, 0x101);
  add(0x401, 5, 20, 0);  // another barrier
  file.write_to(folder(), 1);
  const call_counts all = read_counts({folder()}, 0);
  ASSERT_EQ(all.sites.size(), 2U);
  EXPECT_EQ(all.sites[0].offset, 0x100U);
  EXPECT_EQ(all.sites[0].count, 10U);
  ASSERT_TRUE(all.sites[0].times);
  EXPECT_EQ(all.sites[0].times->timed, 40U);
  EXPECT_DOUBLE_EQ(all.sites[0].times->lateness.sum_ns, 4000);
  EXPECT_EQ(all.sites[1].offset, 0x400U);
  // In another run no thread came from the first place.
  site again = all.sites[0];
  again.offset = 0x200;
  again.places = {0x200, 0x300};
  EXPECT_TRUE(is_same_site(again, all.sites[0]));
  EXPECT_FALSE(is_same_site(again, all.sites[1]));
}

TEST_F(ReadCounts, ThreadsOfCuptiAreNotTheProgramS) {
  record file;
  std::uint64_t first = 0x400000;
  for (const char* const path : {"/lib/libcuda.so.1", "/lib/libcupti.so.13"}) {
    first += 0x1000;
    probe::module_block module{};
    module.first = first;
    module.end = first + 0x1000;
    module.runtime = 1;
    probe::row row{};
    row.address = first + 0x101;
    row.count = 2;
    row.kind = static_cast<std::uint32_t>(probe::kind::create);
    file.add(probe::block_type::module, module, path).add_row(row);
  }
  file.write_to(folder(), 1);
  const call_counts all = read_counts({folder()}, 0);
  ASSERT_EQ(all.sites.size(), 1U);
  EXPECT_EQ(all.sites.front().module, "/lib/libcuda.so.1");
}

TEST_F(ReadCounts, what_a_probe_of_another_build_counted_is_refused) {
  record().write_to(folder(), 1);
  EXPECT_EQ(read_counts({folder()}, 0).processes, 1U);
  record().of_another_build().write_to(folder(), 2);
  try {
    (void)read_counts({folder()}, 0);
    FAIL() << "its layout may be another one";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("another layout"), std::string::npos) << error.what();
  }
}

/// A file with a lock that was acquired twice, in the folder.
void write_lock_file(const std::string& folder, int number) {
  probe::module_block module{};
  module.first = 0x400000;
  module.end = module.first + 0x1000;
  probe::row row{};
  row.address = module.first + 0x101;
  row.count = 2;
  row.kind = static_cast<std::uint32_t>(probe::kind::mutex_lock);
  record().add(probe::block_type::module, module).add_row(row).write_to(folder, number);
}

/// Returns the refused processes by reason.
std::map<std::string, std::uint64_t> reasons_in(const call_counts& all) {
  std::map<std::string, std::uint64_t> reasons;
  for (const refused_processes& each : all.refused) reasons[each.reason] += each.number;
  return reasons;
}

TEST_F(ReadCounts, files_that_the_program_replaced_are_refused) {
  write("empty.counts", "");
  write("short.counts", probe::magic);
  write("own.counts", std::string(8192, '7'));
  ASSERT_EQ(::mkfifo((folder() + "/pipe.counts").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", folder() + "/link.counts");
  write_lock_file(folder(), 1);
  write_lock_file(folder(), 2);
  std::filesystem::resize_file(folder() + "/2.counts", sizeof(probe::file_header) + 100);
  const call_counts all = read_counts({folder()}, 0);
  EXPECT_EQ(all.processes, 1U);
  ASSERT_EQ(all.sites.size(), 1U);
  EXPECT_EQ(all.sites.front().count, 2U);
  std::uint64_t refused = 0;
  for (const auto& [reason, number] : reasons_in(all)) refused += number;
  EXPECT_EQ(refused, 6U);
  EXPECT_NE(refused_text(all.refused).find("1 process of /bin/app"), std::string::npos)
      << refused_text(all.refused);
}

TEST_F(ReadCounts, a_file_longer_than_the_probe_makes_is_not_read) {
  write_lock_file(folder(), 1);
  const std::string path = folder() + "/1.counts";
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const std::uint64_t longer = std::uint64_t{1} << 40U;
  file.seekp(offsetof(probe::file_header, used_bytes));
  file.write(reinterpret_cast<const char*>(&longer), sizeof longer);
  file.close();
  std::filesystem::resize_file(path, longer);
  const call_counts all = read_counts({folder()}, 0);
  EXPECT_EQ(all.processes, 0U);
  EXPECT_EQ(all.refused.size(), 1U);
}

TEST_F(ReadCounts, a_damaged_block_refuses_its_process) {
  const std::uint64_t first_block = sizeof(probe::file_header);
  // No type of a block, no length, one beyond the file, and more rows than there are.
  for (const auto& [at, value] :
       std::vector<std::pair<std::uint64_t, std::uint32_t>>{{first_block, 99},
                                                            {first_block + 4, 0},
                                                            {first_block + 4, 1 << 20},
                                                            {first_block + 76, 2}}) {
    write_lock_file(folder(), 1);
    std::fstream file(folder() + "/1.counts", std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
    file.close();
    const call_counts all = read_counts({folder()}, 0);
    EXPECT_EQ(all.processes, 0U) << at;
    EXPECT_EQ(all.refused.size(), 1U) << at;
  }
}

TEST_F(ReadCounts, processes_without_a_file_are_named) {
  for (const char* const link : {"7.0.28", "8.0.28", "9.0.13"})
    std::filesystem::create_symlink("/bin/child", folder() + '/' + link + probe::refusal_suffix);
  write_lock_file(folder(), 1);
  probe::shared_room room{};
  std::memcpy(room.layout, probe::layout_of_build, sizeof room.layout);
  room.folders[0].files = 4;  // three are gone
  room.refused = 5;
  room.error = EMFILE;
  write(probe::room_name, std::string(reinterpret_cast<const char*>(&room), sizeof room));
  const call_counts all = read_counts({folder()}, 0);
  EXPECT_EQ(all.processes, 1U);
  std::vector<std::uint64_t> numbers;
  for (const auto& [reason, number] : reasons_in(all)) numbers.push_back(number);
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2, 3, 5}));
  EXPECT_NE(refused_text(all.refused).find("/bin/child"), std::string::npos);
}

TEST_F(ReadCounts, a_file_that_could_not_grow_has_a_part_of_the_counts) {
  record().cannot_grow(ENOSPC).write_to(folder(), 1);
  const call_counts all = read_counts({folder()}, 0);
  EXPECT_EQ(all.processes, 1U);
  EXPECT_EQ(all.refused.size(), 1U);
}

TEST_F(ReadCounts, EachConditionOfALineHasItsOwnWaiters) {
  record file;
  const auto add = [&](std::uint64_t condition, std::uint32_t thread, probe::kind kind) {
    probe::row row{};
    row.address = 0x101;
    row.count = 10 * condition;
    row.kind = static_cast<std::uint32_t>(kind);
    row.object = condition;
    file.add_row(row, thread);
    probe::times_block times{};
    times.address = row.address;
    times.kind = row.kind;
    times.object = condition;
    times.every = 1;
    times.timed = row.count;
    times.with_own_lock = condition;
    file.add(probe::block_type::times, times);
  };
  for (const std::uint32_t thread : {3U, 4U}) add(1, thread, probe::kind::cond_wait);
  add(2, 5, probe::kind::cond_wait);
  add(2, 6, probe::kind::signal);
  struct {
    probe::block_head head{};
    std::uint64_t places = 8, places_before = 0, unused[5] = {};
    probe::object_address addresses[8] = {};
    probe::object_counts of[8] = {};
  } objects{};
  objects.of[1].guard = 8;
  objects.of[1].outer = 9;
  file.add(probe::block_type::objects, objects);
  file.write_to(folder(), 1);
  const call_counts all = read_counts({folder()}, 0);
  const auto at = std::ranges::find(all.sites, "cond_wait", &site::kind);
  ASSERT_NE(at, all.sites.end());
  ASSERT_EQ(at->conditions.size(), 2U);
  const condition_use &first = at->conditions.begin()->second,
                      &second = std::next(at->conditions.begin())->second;
  EXPECT_EQ(first.waiters.size(), 2U);
  EXPECT_EQ(first.calls, 20U);
  EXPECT_EQ(first.with_own_lock, 2U);
  EXPECT_EQ(first.outer, 0U);
  EXPECT_EQ(second.waiters.size(), 1U);
  EXPECT_EQ(second.calls, 20U);
  EXPECT_EQ(second.outer - second.lock, 1U);
  const auto signal = std::ranges::find(all.sites, "signal", &site::kind);
  ASSERT_NE(signal, all.sites.end());
  EXPECT_TRUE(signal->conditions.begin()->second.waiters.empty());
}

// Nobody waits for the last thread at a lock or a condition: each timed call counts for the median.
TEST_F(ReadCounts, median_of_calls_that_no_threads_meet_at_is_that_of_all_calls) {
  record file;
  for (const auto kind : {probe::kind::mutex_lock, probe::kind::cond_wait}) {
    probe::row row{};
    row.address = 0x101;
    row.count = 100;
    row.kind = static_cast<std::uint32_t>(kind);
    row.object = 1;
    probe::times_block times{};
    times.address = row.address;
    times.kind = row.kind;
    times.object = row.object;
    times.every = 1;
    times.timed = row.count;
    for (probe::interval_sums* const part : {&times.call, &times.after_signal, &times.held}) {
      part->sum_ns = 99 * 100 + 100'000;
      part->buckets[probe::bucket_of(100)] = 99;
      part->buckets[probe::bucket_of(100'000)] = 1;
    }
    file.add_row(row).add(probe::block_type::times, times);
  }
  file.write_to(folder(), 1);
  const call_counts all = read_counts({folder()}, 0);
  ASSERT_EQ(all.sites.size(), 2U);
  for (const site& each : all.sites) {
    ASSERT_TRUE(each.times) << each.kind;
    const bool is_wait = each.kind == "cond_wait";
    EXPECT_NEAR(each.times->lateness.median_ns, is_wait ? 100 : 0, 25) << each.kind;
    EXPECT_NEAR(each.times->mechanism.median_ns, is_wait ? 100 : 0, 25) << each.kind;
    EXPECT_NEAR(each.times->call.median_ns, is_wait ? 0 : 100, 25) << each.kind;
    EXPECT_NEAR(each.times->held.median_ns, is_wait ? 0 : 100, 25) << each.kind;
  }
}

TEST(read_counts, a_folder_that_the_program_deletes_is_named) {
  try {
    (void)read_counts({"/nowhere/at/all"}, 0);
    FAIL() << "there is none";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).find("what was counted is lost: the folder for it, '/now"),
              0U)
        << error.what();
  }
}

TEST(interval_buckets, bound_each_interval) {
  for (std::uint64_t ns = 0; ns < std::uint64_t{1} << 40U; ns += 1 + ns / 7) {
    const std::uint32_t bucket = probe::bucket_of(ns);
    ASSERT_LE(probe::bucket_start(bucket), ns);
    ASSERT_LT(ns, probe::bucket_start(bucket + 1));
  }
}

}  // namespace
}  // namespace syncmeter::counts_test
