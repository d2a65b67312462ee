#include "core/host/lane_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

namespace syncmeter {
namespace {

class heap_memory final : public lane_memory {
 public:
  std::byte* take(std::size_t bytes, std::size_t alignment, std::string_view of) override {
    // aligned_alloc takes whole multiples of the alignment.
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    if (void* const memory = std::aligned_alloc(alignment, whole))
      return static_cast<std::byte*>(memory);
    throw std::runtime_error(fmt::format("out of memory: {} bytes for {}", bytes, of));
  }
  void give_back(std::byte* memory, std::size_t) noexcept override { std::free(memory); }

  // Not from malloc: its pages may have been touched already, by whichever thread had them before.
  std::byte* take_pages(std::size_t bytes, std::string_view of) override {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw std::runtime_error(fmt::format("out of memory: {} bytes for {}", bytes, of));
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

}  // namespace

lane_memory& memory_of_lanes() { return *in_use(); }
void use_lane_memory(lane_memory& source) { in_use() = &source; }

lane_bytes take_for_lanes(std::size_t bytes, std::size_t alignment, std::string_view of) {
  return lane_bytes(memory_of_lanes().take(bytes, alignment, of), lane_bytes_deleter{bytes});
}

}  // namespace syncmeter
