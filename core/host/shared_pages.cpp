#include "core/host/shared_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

namespace syncmeter {
namespace {

// What is given out is so long at least, and a multiple of it: lanes must not share a line that
// they do not know of.
constexpr std::size_t grain = 128;
constexpr std::size_t os_page = 4096;

std::size_t whole_multiples(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

std::byte* map_shared(std::size_t bytes, std::byte* address, int flags, int file) {
  void* const memory =
      ::mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | flags, file, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(
        fmt::format("cannot map {} bytes of shared memory: {}", bytes, std::strerror(errno)));
  }
  return static_cast<std::byte*>(memory);
}

}  // namespace

shared_pages::shared_pages(std::size_t bytes)
    : bytes_{whole_multiples(bytes, os_page)},
      data_{map_shared(bytes_, nullptr, MAP_ANONYMOUS, -1)}, free_{{0, bytes_}} {}

shared_pages::shared_pages(int file, std::size_t bytes, std::byte* address)
    : bytes_{whole_multiples(bytes, os_page)},
      data_{map_shared(bytes_, address, MAP_FIXED_NOREPLACE, file)}, free_{{0, bytes_}} {
  if (data_ == address) return;  // a kernel before 4.17 takes the address as a hint
  ::munmap(data_, bytes_);
  throw std::runtime_error(fmt::format("shared memory cannot be mapped at {}: other pages of this "
                                       "process are there",
                                       static_cast<void*>(address)));
}

shared_pages::~shared_pages() { ::munmap(data_, bytes_); }

// The first hole that is large enough: they are few.
std::byte* shared_pages::take(std::size_t bytes, std::size_t alignment, std::string_view of) {
  const std::size_t needed = whole_multiples(bytes, grain);
  for (const auto& [offset, size] : free_) {
    const std::size_t start = whole_multiples(offset, std::max(alignment, grain));
    if (start + needed > offset + size) continue;
    const std::size_t from = offset, to = offset + size;
    free_.erase(from);
    if (start > from) free_.emplace(from, start - from);
    if (to > start + needed) free_.emplace(start + needed, to - start - needed);
    return data_ + start;
  }
  throw std::runtime_error(fmt::format("out of memory: {} bytes for {}", bytes, of));
}

void shared_pages::give_back(std::byte* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  auto hole =
      free_.emplace(static_cast<std::size_t>(memory - data_), whole_multiples(bytes, grain)).first;
  if (const auto next = std::next(hole);
      next != free_.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    free_.erase(next);
  }
  if (hole == free_.begin()) return;
  if (const auto before = std::prev(hole); before->first + before->second == hole->first) {
    before->second += hole->second;
    free_.erase(hole);
  }
}

// Given to the system when they come back: what was never touched is so again.
std::byte* shared_pages::take_pages(std::size_t bytes, std::string_view of) {
  std::byte* const memory = take(whole_multiples(bytes, os_page), os_page, of);
  (void)::madvise(memory, whole_multiples(bytes, os_page), MADV_REMOVE);
  return memory;
}

void shared_pages::give_back_pages(std::byte* memory, std::size_t bytes) noexcept {
  give_back(memory, whole_multiples(bytes, os_page));
}

}  // namespace syncmeter
