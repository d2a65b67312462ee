// The few declarations of CUPTI that the probe uses, as its documentation has them (CUPTI API
// Reference: callback and activity API), in CUDA 12 and 13: no header of CUPTI is needed, and the
// library is looked for when a program starts CUDA. tests/probe holds them to its headers where
// there are some.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncmeter::probe::cupti {

using result = int;
inline constexpr result success = 0, multiple_subscribers = 39;

inline constexpr std::uint32_t driver_api = 1, runtime_api = 2;
inline constexpr int enters = 0;

struct callback_data {
  int site;                   ///< `enters`, or 1 where the function has returned
  const char* function_name;  ///< without the number of its version
  const void* parameters;     ///< as the function takes them, one after another
  void* return_value;
  const char* kernel_name;  ///< of a launch
  void* context;
  std::uint32_t context_number;
  std::uint64_t* of_subscriber;
  std::uint32_t correlation;
};

using subscriber = void*;
using callback = void (*)(void* argument, std::uint32_t domain, std::uint32_t function,
                          const callback_data* call);

using subscribe_function = result (*)(subscriber*, callback, void*);
using enable_callback_function = result (*)(std::uint32_t, subscriber, std::uint32_t,
                                            std::uint32_t);
using finalize_function = result (*)();
using callback_name_function = result (*)(std::uint32_t, std::uint32_t, const char**);

/// Where a record of an activity has what is used of it: the type, which every record begins with,
/// the start, behind which its end stands, and the correlation of the call. Versions of a record
/// differ in what follows.
struct record_layout {
  std::uint32_t type;
  std::size_t start, correlation;
};
inline constexpr record_layout memcpy_record{1, 16, 44}, memset_record{2, 16, 44},
    kernel_record{10, 16, 92}, graph_record{51, 8, 4};
/// Where the record of a kernel has its grid, its block and a pointer to its name.
inline constexpr std::size_t kernel_grid = 52, kernel_name = 104;
inline constexpr record_layout layouts[] = {memcpy_record, memset_record, kernel_record,
                                            graph_record};

using request_buffer = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using complete_buffer = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);
using register_callbacks_function = result (*)(request_buffer, complete_buffer);
using enable_activity_function = result (*)(std::uint32_t);
using next_record_function = result (*)(std::uint8_t*, std::size_t, void**);
using flush_all_function = result (*)(std::uint32_t);
using flush_period_function = result (*)(std::uint32_t);

}  // namespace syncmeter::probe::cupti
