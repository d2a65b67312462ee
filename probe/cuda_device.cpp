#include "probe/cuda_device.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>

#include "probe/cuda_span.hpp"
#include "probe/cupti.hpp"
#include "probe/kernel.hpp"
#include "probe/times.hpp"

namespace syncmeter::probe {
namespace {

/// The calls whose work may still be on its way.
struct device_call {
  std::uint32_t correlation;
  std::uint32_t what;
  std::uint64_t site;
};
constexpr std::uint32_t most_calls = 1U << 20U;
device_call* calls = nullptr;

/// How a kernel was launched.
struct kernel_launched {
  std::uint32_t grid[3], block[3];
  const char* name;  // CUPTI's; nullptr: of no kernel
};

/// Something that the GPU did.
struct device_work {
  std::uint64_t start, end;  // ns, by CUPTI's clock
  std::uint32_t correlation;
  kernel_launched kernel;
};
constexpr std::size_t buffer_bytes = std::size_t{1} << 20U, least_record = 64;
constexpr std::size_t most_works = buffer_bytes / least_record;
device_work* works = nullptr;

constinit device_block* blocks[1024] = {};
constinit kernel_times_block* kernels[1024] = {};
constinit std::uint64_t busy_until = 0, idle_since_counted = 0;
constinit bool has_counted_work = false;
constinit int lock_of_works = 0;

constinit cupti::next_record_function next_record = nullptr;
constinit cupti::flush_all_function flush_all = nullptr;

void give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(new_memory(buffer_bytes));
  *bytes = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;
}

template <class Number> Number number_at(const void* record, std::size_t offset) {
  Number number;
  ::memcpy(&number, static_cast<const char*>(record) + offset, sizeof number);
  return number;
}

/// Nothing for records of another type.
bool read_record(const void* record, device_work& work) {
  for (const cupti::record_layout& layout : cupti::layouts) {
    if (number_at<std::uint32_t>(record, 0) != layout.type) continue;
    work = {number_at<std::uint64_t>(record, layout.start),
            number_at<std::uint64_t>(record, layout.start + sizeof work.start),
            number_at<std::uint32_t>(record, layout.correlation),
            {}};
    if (layout.type == cupti::kernel_record.type) {
      const char* const grid = static_cast<const char*>(record) + cupti::kernel_grid;
      ::memcpy(work.kernel.grid, grid, sizeof work.kernel.grid);
      ::memcpy(work.kernel.block, grid + sizeof work.kernel.grid, sizeof work.kernel.block);
      work.kernel.name = number_at<const char*>(record, cupti::kernel_name);
    }
    return work.start != 0 && work.end >= work.start;
  }
  return false;
}

device_block* block_of(const device_call& call) {
  for (device_block*& each : blocks) {
    if (each == nullptr) each = new_device_block(static_cast<kind>(call.what), call.site);
    if (each == nullptr) return nullptr;
    if (each->address == call.site && each->kind == call.what) return each;
  }
  return nullptr;
}

bool is_of(kernel_times_block* times, const kernel_launched& what) {
  return ::memcmp(times->grid, what.grid, sizeof what.grid) == 0 &&
         ::memcmp(times->block, what.block, sizeof what.block) == 0 &&
         ::strcmp(reinterpret_cast<const char*>(times + 1), what.name) == 0;
}

kernel_times_block* times_of(const kernel_launched& what) {
  if (what.name == nullptr) return nullptr;
  for (kernel_times_block*& each : kernels) {
    if (each == nullptr) {
      each = new_kernel_times(what.name);
      if (each == nullptr) return nullptr;
      ::memcpy(each->grid, what.grid, sizeof what.grid);
      ::memcpy(each->block, what.block, sizeof what.block);
    }
    if (is_of(each, what)) return each;
  }
  return nullptr;
}

/// What several streams do at once is busy time once. Without work before what no counted call is
/// for, as an asynchronous copy, the GPU is so before the counted work behind it.
void add_work(const device_work& work) {
  if (has_counted_work) idle_since_counted += since(busy_until, work.start);
  busy_until = std::max(busy_until, work.end);
  if (kernel_times_block* const times = times_of(work.kernel); times != nullptr) {
    ++times->launches;
    times->busy_ns += since(work.start, work.end);
  }
  const device_call& call = calls[work.correlation % most_calls];
  if (__atomic_load_n(&call.correlation, __ATOMIC_ACQUIRE) != work.correlation) return;
  device_block* const to = block_of(call);
  if (to == nullptr) return;
  if (to->works == 0) to->first_start = work.start;
  ++to->works;
  to->last_end = std::max(to->last_end, work.end);
  add_to(to->busy, since(work.start, work.end));
  if (has_counted_work) add_to(to->idle, idle_since_counted);
  has_counted_work = true;
  idle_since_counted = 0;
}

void take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid_bytes) {
  const yielding_lock held(lock_of_works);
  std::size_t count = 0;
  void* record = nullptr;
  while (count < most_works && next_record(buffer, valid_bytes, &record) == cupti::success)
    if (read_record(record, works[count])) ++count;
  std::sort(works, works + count,
            [](const device_work& a, const device_work& b) { return a.start < b.start; });
  for (std::size_t i = 0; i < count; ++i) add_work(works[i]);
  ::munmap(buffer, buffer_bytes);
}

constinit long process = 0;

// Buffers that are not full, too. A child of fork has no GPU, and the locks of a library whose
// threads it lacks.
void finish() {
  constexpr std::uint32_t forced = 1;
  if (kernel(SYS_getpid) == process) flush_all(forced);
}

}  // namespace

void start_device_times(void* cupti_library) {
  if (timed_every().locks == 0) return;
  const auto find = [cupti_library](const char* name) { return ::dlsym(cupti_library, name); };
  const auto register_callbacks =
      reinterpret_cast<cupti::register_callbacks_function>(find("cuptiActivityRegisterCallbacks"));
  const auto enable =
      reinterpret_cast<cupti::enable_activity_function>(find("cuptiActivityEnable"));
  next_record = reinterpret_cast<cupti::next_record_function>(find("cuptiActivityGetNextRecord"));
  flush_all = reinterpret_cast<cupti::flush_all_function>(find("cuptiActivityFlushAll"));
  const auto flush_each =
      reinterpret_cast<cupti::flush_period_function>(find("cuptiActivityFlushPeriod"));
  if (register_callbacks == nullptr || enable == nullptr || next_record == nullptr ||
      flush_all == nullptr)
    return;
  works = static_cast<device_work*>(new_memory(most_works * sizeof(device_work)));
  auto* const table = static_cast<device_call*>(new_memory(most_calls * sizeof(device_call)));
  if (works == nullptr || table == nullptr ||
      register_callbacks(give_buffer, take_buffer) != cupti::success)
    return;
  __atomic_store_n(&calls, table, __ATOMIC_RELEASE);
  for (const cupti::record_layout& layout : cupti::layouts) enable(layout.type);
  constexpr std::uint32_t period_ms = 100;
  if (flush_each != nullptr) flush_each(period_ms);
  process = kernel(SYS_getpid);
  ::atexit(finish);
  write_span_at_end();  // before that, which takes time of its own
}

void note_device_call(std::uint32_t correlation, kind what, std::uint64_t site) {
  if (calls == nullptr) return;
  note_call_in_span();
  device_call& call = calls[correlation % most_calls];
  __atomic_store_n(&call.correlation, 0, __ATOMIC_RELEASE);
  call.what = static_cast<std::uint32_t>(what);
  call.site = site;
  __atomic_store_n(&call.correlation, correlation, __ATOMIC_RELEASE);
}

}  // namespace syncmeter::probe
