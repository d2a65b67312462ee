#include "core/host/lane_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "core/machine/load_topology.hpp"

namespace syncmeter {
namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

[[noreturn]] void fail_without_memory(std::size_t bytes, std::string_view of) {
  throw std::runtime_error(fmt::format("out of memory: {} bytes for {}", bytes, of));
}

class heap_memory final : public lane_memory {
 public:
  std::byte* take(std::size_t bytes, std::size_t alignment, std::string_view of) override {
    // aligned_alloc takes whole multiples of the alignment.
    void* const memory = std::aligned_alloc(alignment, rounded_up(bytes, alignment));
    if (memory == nullptr) fail_without_memory(bytes, of);
    return static_cast<std::byte*>(memory);
  }
  void give_back(std::byte* memory, std::size_t) noexcept override { std::free(memory); }

  // Not from malloc: its pages may have been touched already, by whichever thread had them before.
  std::byte* take_pages(std::size_t bytes, std::string_view of) override {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail_without_memory(bytes, of);
    return static_cast<std::byte*>(memory);
  }
  void give_back_pages(std::byte* memory, std::size_t bytes) noexcept override {
    ::munmap(memory, bytes);
  }
};

lane_memory*& in_use() {
  static heap_memory heap;
  static lane_memory* source = &heap;
  return source;
}

// What is given out is so long at least, and a multiple of it: lanes must not share a line that
// they do not know of.
constexpr std::size_t grain = 128;
constexpr std::size_t os_page = 4096;

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

lane_memory& memory_of_lanes() { return *in_use(); }
void use_lane_memory(lane_memory& source) { in_use() = &source; }

lane_bytes take_for_lanes(std::size_t bytes, std::size_t alignment, std::string_view of) {
  return lane_bytes(memory_of_lanes().take(bytes, alignment, of), lane_bytes_deleter{bytes});
}

shared_pages::shared_pages(std::size_t bytes)
    : bytes_{rounded_up(bytes, os_page)}, data_{map_shared(bytes_, nullptr, MAP_ANONYMOUS, -1)},
      free_{{0, bytes_}} {}

shared_pages::shared_pages(int file, std::size_t bytes, std::byte* address)
    : bytes_{rounded_up(bytes, os_page)},
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
  const std::size_t needed = rounded_up(bytes, grain);
  for (const auto& [offset, size] : free_) {
    const std::size_t start = rounded_up(offset, std::max(alignment, grain));
    if (start + needed > offset + size) continue;
    const std::size_t from = offset, to = offset + size;
    free_.erase(from);
    if (start > from) free_.emplace(from, start - from);
    if (to > start + needed) free_.emplace(start + needed, to - start - needed);
    return data_ + start;
  }
  fail_without_memory(bytes, of);
}

void shared_pages::give_back(std::byte* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  auto hole =
      free_.emplace(static_cast<std::size_t>(memory - data_), rounded_up(bytes, grain)).first;
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
  std::byte* const memory = take(rounded_up(bytes, os_page), os_page, of);
  (void)::madvise(memory, rounded_up(bytes, os_page), MADV_REMOVE);
  return memory;
}

void shared_pages::give_back_pages(std::byte* memory, std::size_t bytes) noexcept {
  give_back(memory, rounded_up(bytes, os_page));
}

homed_pages::homed_pages(const topology& machine, std::size_t bytes, int os_pu)
    : machine_{machine}, bytes_{bytes}, pu_{os_pu},
      data_{memory_of_lanes().take_pages(bytes, "mailboxes")} {
  std::string problem;
  std::thread toucher([&] {
    problem = bind_this_thread(machine_, pu_).value_or("");
    if (problem.empty()) std::memset(data_, 0, bytes_);
  });
  toucher.join();
  if (problem.empty()) return;
  memory_of_lanes().give_back_pages(data_, bytes_);
  throw std::runtime_error(problem);
}

homed_pages::~homed_pages() { memory_of_lanes().give_back_pages(data_, bytes_); }

std::optional<int> homed_pages::numa_node() const {
  const bitmap_owner nodes = new_bitmap();
  const auto tree = static_cast<hwloc_topology_t>(machine_.native());
  if (hwloc_get_area_memlocation(tree, data_, 1, nodes.get(), HWLOC_MEMBIND_BYNODESET) != 0)
    return std::nullopt;
  const int node = hwloc_bitmap_first(nodes.get());
  return node < 0 ? std::nullopt : std::optional(node);
}

void cell_objects::make(const object_kind& kind, std::size_t count, sharers who,
                        cell_spacing like) {
  clear();
  if (kind.bytes == 0) return;
  kind_ = kind;
  pitch_ = rounded_up(std::max(like.pitch, kind.bytes), kind.alignment);
  offset_ = rounded_up(like.offset, kind.alignment);
  const std::size_t needed = rounded_up(offset_ + count * pitch_, largest_alignment);
  if (needed > capacity_) {
    capacity_ = 0;
    memory_ = take_for_lanes(needed, largest_alignment, "objects");
    capacity_ = needed;
  }
  // Counted one by one: where a constructor throws, those before it are ended.
  while (count_ < count) {
    kind_.make(memory_.get() + offset_ + count_ * pitch_, who);
    ++count_;
  }
}

void cell_objects::clear() {
  while (count_ > 0) {
    --count_;
    kind_.destroy(memory_.get() + offset_ + count_ * pitch_);
  }
}

void* cell_objects::at(std::size_t index) const {
  return index < count_ ? memory_.get() + offset_ + index * pitch_ : nullptr;
}

}  // namespace syncmeter
