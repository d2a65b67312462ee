// What counting a call takes in one process: bursts of calls that the preloaded probe counts beside
// bursts of the same calls past it, in random order. Processes differ by more than counting costs:
// by where their memory lies, and by which units of the host they are on.
//   THREADS WORK BURSTS CALLS WHAT...
// WORK is turns of a loop of a third of a nanosecond or so in each call's region or before it; a
// burst has so many CALLS of `region`, `barrier` or `critical`. `first+N` and `others+N` are
// regions past the probe in which the first thread, or the others, have N turns more, beside
// regions without. Prints for each burst the ns of a call past the probe and counted, or without
// the turns and with.
#include <dlfcn.h>
#include <omp.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>

extern "C" {
void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags);
void GOMP_barrier();
void GOMP_critical_start();
void GOMP_critical_end();
}

namespace {

struct calls_of_runtime {
  decltype(&GOMP_parallel) parallel = nullptr;
  decltype(&GOMP_barrier) barrier = nullptr;
  decltype(&GOMP_critical_start) critical_start = nullptr;
  decltype(&GOMP_critical_end) critical_end = nullptr;
};

/// As the runtime's own library has them: a preloaded one is not asked.
calls_of_runtime past_the_probe() {
  void* const runtime = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
  calls_of_runtime found;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(runtime, name));
  };
  find(found.parallel, "GOMP_parallel");
  find(found.barrier, "GOMP_barrier");
  find(found.critical_start, "GOMP_critical_start");
  find(found.critical_end, "GOMP_critical_end");
  return found;
}

double now() {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
}

struct burst {
  const calls_of_runtime* by;
  long calls, work;
  unsigned threads;
  const char* what;
  long more_of_first, more_of_others;
  long count;
};

void pass_time(long work) {
  for (long turn = 0; turn < work; ++turn) asm volatile("" : : "r"(turn));
}
void body_of_region(void* data) { pass_time(static_cast<burst*>(data)->work); }
void body_with_more(void* data) {
  const burst& of = *static_cast<burst*>(data);
  pass_time(of.work + (omp_get_thread_num() == 0 ? of.more_of_first : of.more_of_others));
}

void in_region(void* data) {
  burst& of = *static_cast<burst*>(data);
  const bool barriers = std::strcmp(of.what, "barrier") == 0;
  for (long i = 0; i < of.calls; ++i) {
    pass_time(of.work);
    if (barriers) {
      of.by->barrier();
      continue;
    }
    of.by->critical_start();
    ++of.count;
    of.by->critical_end();
  }
}

double ns_of_call(burst of) {
  const double begun = now();
  const bool has_more = std::strchr(of.what, '+') != nullptr;
  if (has_more || std::strcmp(of.what, "region") == 0)
    for (long i = 0; i < of.calls; ++i)
      of.by->parallel(has_more ? body_with_more : body_of_region, &of, of.threads, 0);
  else GOMP_parallel(in_region, &of, of.threads, 0);
  return (now() - begun) / static_cast<double>(of.calls) * 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  const calls_of_runtime past = past_the_probe();
  const calls_of_runtime counted{GOMP_parallel, GOMP_barrier, GOMP_critical_start,
                                 GOMP_critical_end};
  const long bursts = std::atol(argv[3]);
  std::mt19937 random(1);
  for (int at = 5; at < argc; ++at) {
    const burst as_it_is{.by = &past,
                         .calls = std::atol(argv[4]),
                         .work = std::atol(argv[2]),
                         .threads = static_cast<unsigned>(std::atoi(argv[1])),
                         .what = argv[at],
                         .more_of_first = 0,
                         .more_of_others = 0,
                         .count = 0};
    burst other = as_it_is;
    if (const char* const more = std::strchr(argv[at], '+'); more == nullptr) other.by = &counted;
    else (argv[at][0] == 'f' ? other.more_of_first : other.more_of_others) = std::atol(more);
    ns_of_call(as_it_is);
    ns_of_call(other);
    for (long i = 0; i < bursts; ++i) {
      const bool is_first = random() % 2 == 0;
      const double first = ns_of_call(is_first ? as_it_is : other);
      const double second = ns_of_call(is_first ? other : as_it_is);
      std::printf("%s %.2f %.2f\n", argv[at], is_first ? first : second, is_first ? second : first);
    }
  }
}
