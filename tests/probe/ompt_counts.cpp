// A tool of OpenMP's own interface (OMPT), which LLVM's runtime loads: counts the events that the
// runtime reports, by the kind that the probe calls such a call and by the address it names as the
// call's. Writes "KIND MODULE OFFSET COUNT" for each to the file that SYNCMETER_OMPT_COUNTS names.
#include <dlfcn.h>
#include <omp-tools.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace {

// Of barriers, those that the program has, those at the ends of constructs, and those that are a
// part of another call.
enum kind {
  region,
  barrier,
  end_barrier,
  inner_barrier,
  critical,
  omp_lock,
  ordered,
  single,
  task,
  taskwait
};
constexpr const char* names[] = {"region",   "barrier", "end_barrier", "inner_barrier", "critical",
                                 "omp_lock", "ordered", "single",      "task",          "taskwait"};

struct place {
  std::atomic<std::uintptr_t> key{};
  std::atomic<std::uint64_t> count{};
};
place places[1 << 12];
std::atomic<std::uint64_t> lost{};
ompt_get_task_info_t task_info = nullptr;

/// The kind above the address: user space has 47 bits.
void add(kind what, const void* address) {
  const std::uintptr_t key = reinterpret_cast<std::uintptr_t>(address) | (std::uintptr_t{what} + 1)
                                                                             << 48U;
  for (std::size_t tried = 0; tried < std::size(places); ++tried) {
    place& at = places[(key * 0x9E3779B97F4A7C15U >> 40U) + tried & std::size(places) - 1];
    std::uintptr_t there = 0;
    if (at.key.compare_exchange_strong(there, key) || there == key) {
      ++at.count;
      return;
    }
  }
  ++lost;
}

void parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t*, unsigned, int,
                    const void* address) {
  add(region, address);
}

/// A barrier is of all threads of the team: counted by the first, as the probe does it.
void sync_region(ompt_sync_region_t what, ompt_scope_endpoint_t endpoint, ompt_data_t*,
                 ompt_data_t*, const void* address) {
  if (endpoint != ompt_scope_begin) return;
  if (what == ompt_sync_region_taskwait || what == ompt_sync_region_taskgroup)
    add(taskwait, address);
  int thread = -1;
  task_info(0, nullptr, nullptr, nullptr, nullptr, &thread);
  if (thread != 0) return;
  if (what == ompt_sync_region_barrier_explicit) add(barrier, address);
  if (what == ompt_sync_region_barrier_implicit ||
      what == ompt_sync_region_barrier_implicit_workshare)
    add(end_barrier, address);
  if (what == ompt_sync_region_barrier_implementation) add(inner_barrier, address);
}

void mutex_acquired(ompt_mutex_t what, ompt_wait_id_t, const void* address) {
  if (what == ompt_mutex_critical || what == ompt_mutex_atomic) add(critical, address);
  else add(what == ompt_mutex_ordered ? ordered : omp_lock, address);
}
/// A nested lock that the thread has already.
void nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t, const void* address) {
  if (endpoint == ompt_scope_begin) add(omp_lock, address);
}

void work(ompt_work_t what, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
          std::uint64_t, const void* address) {
  if (endpoint == ompt_scope_begin &&
      (what == ompt_work_single_executor || what == ompt_work_single_other))
    add(single, address);
}

void task_create(ompt_data_t*, const ompt_frame_t*, ompt_data_t*, int flags, int,
                 const void* address) {
  if ((flags & ompt_task_explicit) != 0) add(task, address);
}

int begin(ompt_function_lookup_t find, int, ompt_data_t*) {
  const auto set = reinterpret_cast<ompt_set_callback_t>(find("ompt_set_callback"));
  task_info = reinterpret_cast<ompt_get_task_info_t>(find("ompt_get_task_info"));
  const auto called = [&](ompt_callbacks_t event, auto* function) {
    if (set(event, reinterpret_cast<ompt_callback_t>(function)) != ompt_set_always) std::abort();
  };
  called(ompt_callback_parallel_begin, parallel_begin);
  called(ompt_callback_sync_region, sync_region);
  called(ompt_callback_mutex_acquired, mutex_acquired);
  called(ompt_callback_nest_lock, nest_lock);
  called(ompt_callback_work, work);
  called(ompt_callback_task_create, task_create);
  return 1;
}

void end(ompt_data_t*) {
  const char* const path = std::getenv("SYNCMETER_OMPT_COUNTS");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return;
  std::fprintf(file, "lost - 0 %lu\n", lost.load());
  for (const place& at : places) {
    if (at.key == 0) continue;
    const std::uintptr_t address = at.key & (std::uintptr_t{1} << 48U) - 1;
    Dl_info module{};
    const bool known = ::dladdr(reinterpret_cast<void*>(address), &module) != 0;
    std::fprintf(
        file, "%s %s %lu %lu\n", names[(at.key >> 48U) - 1], known ? module.dli_fname : "-",
        known ? address - reinterpret_cast<std::uintptr_t>(module.dli_fbase) : 0, at.count.load());
  }
  std::fclose(file);
}

ompt_start_tool_result_t tool{begin, end, {}};

}  // namespace

extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) { return &tool; }
