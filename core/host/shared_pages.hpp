// Memory for lanes that are processes: pages that all of them have mapped at one address.
#pragma once

#include <cstddef>
#include <map>

#include "core/host/lane_memory.hpp"

namespace syncmeter {

class shared_pages final : public lane_memory {
 public:
  /// `bytes` of address space without a file, shared with the processes that are forked from here
  /// on. Pages count once they are touched. Throws std::runtime_error when there is none.
  explicit shared_pages(std::size_t bytes);
  /// The first `bytes` of a file, at `address`: as other processes have them that say the same.
  /// Throws std::runtime_error where something else is there already.
  shared_pages(int file, std::size_t bytes, std::byte* address);
  ~shared_pages() override;
  shared_pages(const shared_pages&) = delete;
  shared_pages& operator=(const shared_pages&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }

  [[nodiscard]] std::byte* take(std::size_t bytes, std::size_t alignment,
                                std::string_view of) override;
  void give_back(std::byte* memory, std::size_t bytes) noexcept override;
  [[nodiscard]] std::byte* take_pages(std::size_t bytes, std::string_view of) override;
  void give_back_pages(std::byte* memory, std::size_t bytes) noexcept override;

 private:
  std::size_t bytes_;
  std::byte* data_;
  std::map<std::size_t, std::size_t> free_;  // offset: bytes; neighbours are one
};

}  // namespace syncmeter
