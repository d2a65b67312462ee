// The kernel itself: the C library's wrappers of its calls are what programs replace, and some of
// them are cancellation points.
#pragma once

#include <errno.h>
#include <unistd.h>

namespace syncmeter::probe {

template <class... Words> long kernel(long call, Words... words) {
  const int error = errno;
  const long result = ::syscall(call, words...);
  errno = error;
  return result;
}

}  // namespace syncmeter::probe
