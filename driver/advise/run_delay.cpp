#include "driver/advise/run_delay.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>

namespace syncmeter {

std::optional<double> run_delay_in(std::string_view schedstat) {
  const std::size_t space = schedstat.find(' ');
  // Of a kernel that does not count, all three numbers are 0.
  if (space == std::string_view::npos || schedstat.starts_with("0 0 0")) return std::nullopt;
  std::uint64_t ns = 0;
  const char* const end = schedstat.data() + schedstat.size();
  if (std::from_chars(schedstat.data() + space + 1, end, ns).ec != std::errc{}) return std::nullopt;
  return static_cast<double>(ns);
}

run_delay_reader::run_delay_reader()
    : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

std::optional<double> run_delay_reader::read() const {
  std::array<char, 96> text{};
  const ssize_t length = ::pread(file_.get(), text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;
  return run_delay_in({text.data(), static_cast<std::size_t>(length)});
}

}  // namespace syncmeter
