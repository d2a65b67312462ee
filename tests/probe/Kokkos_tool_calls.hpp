// Calls a library of tools as Kokkos does: the first that KOKKOS_TOOLS_LIBS names is loaded, and
// its callbacks are called for each kernel and fence, from functions of a namespace and in a header
// of such a name.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

namespace Kokkos {

using begin_function = void(const char*, std::uint32_t, std::uint64_t*);
using end_function = void(std::uint64_t);
inline begin_function *begin_for, *begin_reduce, *begin_scan, *begin_fence;
inline end_function *end_for, *end_reduce, *end_scan, *end_fence;
inline bool settings[256] = {true};

inline void initialize() {
  const char* const named = std::getenv("KOKKOS_TOOLS_LIBS");
  if (named == nullptr || *named == 0) return;
  void* const library = dlopen(std::string(named).substr(0, std::string(named).find(';')).c_str(),
                               RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return;
  const auto find = [&](auto& function, const char* name) {
    void* const found = dlsym(library, name);
    std::memcpy(&function, &found, sizeof found);
  };
  find(begin_for, "kokkosp_begin_parallel_for");
  find(begin_reduce, "kokkosp_begin_parallel_reduce");
  find(begin_scan, "kokkosp_begin_parallel_scan");
  find(begin_fence, "kokkosp_begin_fence");
  find(end_for, "kokkosp_end_parallel_for");
  find(end_reduce, "kokkosp_end_parallel_reduce");
  find(end_scan, "kokkosp_end_parallel_scan");
  find(end_fence, "kokkosp_end_fence");
  void (*ask)(std::uint32_t, bool*) = nullptr;
  find(ask, "kokkosp_request_tool_settings");
  if (ask != nullptr) ask(1, settings);
}

// As in Kokkos' own library, where no name of the program is.
[[gnu::noinline]] inline void begin(begin_function* tool, const std::string& label,
                                    std::uint64_t& call) {
  if (tool != nullptr) tool(label.c_str(), 0, &call);
}
[[gnu::noinline]] inline void end(end_function* tool, std::uint64_t call) {
  if (tool != nullptr) tool(call);
}

template <class Body> void parallel_for(const std::string& label, int n, Body body) {
  std::uint64_t call = 0;
  begin(begin_for, label, call);
#pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < n; ++i) body(i);
  end(end_for, call);
}
/// On the calling thread, as the space Serial does.
template <class Body> [[gnu::noinline]] void serial_for(const std::string& label, Body body) {
  std::uint64_t call = 0;
  begin(begin_for, label, call);
  body();
  end(end_for, call);
}
template <class Body> double parallel_reduce(const std::string& label, int n, Body body) {
  std::uint64_t call = 0;
  begin(begin_reduce, label, call);
  double sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) body(i);
#pragma omp barrier
#pragma omp critical
    sum += 1;
  }
  end(end_reduce, call);
  return sum;
}
[[gnu::noinline]] inline void parallel_scan(const std::string& label) {
  std::uint64_t call = 0;
  begin(begin_scan, label, call);
  end(end_scan, call);
}
/// Of Kokkos itself.
inline std::mutex of_instance;
inline void fence(const std::string& label) {
  {
    const std::lock_guard locked(of_instance);
  }
  std::uint64_t call = 0;
  begin(begin_fence, label, call);
  usleep(1000);
  end(end_fence, call);
}

}  // namespace Kokkos
