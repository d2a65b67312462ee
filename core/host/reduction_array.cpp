#include "core/host/reduction_array.hpp"

#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "core/axes.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr unsigned most_elements = 1U << 28U;
constexpr std::size_t most_checked = std::size_t{1} << 20U;  // elements

std::size_t free_bytes() {
  const long pages = ::sysconf(_SC_AVPHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(size)
                               : 0;
}

}  // namespace

void require_room(const measurable& row, const point& where) {
  if (row.info.size_of.empty() || !row.type) return;
  if (where.size == 0)
    throw point_refused(fmt::format("needs --size: the number of {}", row.info.size_of));
  if (where.size > most_elements) {
    throw point_refused(fmt::format(
        "--size {}: at most {} {}, since filling a larger array takes longer than a repetition",
        where.size, most_elements, row.info.size_of));
  }
  const std::size_t needed = std::size_t{where.size} * size_of(*row.type);
  if (const std::size_t free = free_bytes(); needed > free / 2) {
    throw point_refused(
        fmt::format("--size {}: needs {} bytes, more than half of the {} bytes of free memory",
                    where.size, needed, free));
  }
}

void reduction_array::renew(value_type type, std::size_t elements, unsigned lanes) {
  elements_ = 0;  // whatever happens, the old one is gone
  memory_.reset();
  const std::size_t bytes = (elements * size_of(type) + page_bytes - 1) / page_bytes * page_bytes;
  memory_.reset(std::aligned_alloc(page_bytes, bytes));
  if (memory_ == nullptr)
    throw std::runtime_error(fmt::format("out of memory: {} bytes for elements", bytes));
  type_ = type;
  elements_ = elements;
  lanes_ = lanes;
  seed_ = mixed_word(seed_);
  kind_ = kind_ == reduction_input::mixed ? reduction_input::negative : reduction_input::mixed;
  place_ = 0;
}

void reduction_array::plant() {
  by_type(type_, [this]<class T>(T) {
    auto* const values = static_cast<T*>(memory_.get());
    values[place_] = reduction_element<T>(place_, seed_, kind_);
    draw_ = mixed_word(draw_);
    place_ = (draw_ >> 32U) % elements_;
    const T most = reduction_maximum<T>(draw_, kind_);
    values[place_] = most;
    expected_ = std::bit_cast<bits_of<T>>(most);
  });
}

void reduction_array::check() {
  plant();
  by_type(type_, [this]<class T>(T) {
    const auto* const first = data<T>();
    const T most = *std::max_element(first, first + std::min(elements_, most_checked));
    const bool whole = elements_ <= most_checked;
    if (whole ? difference(most) != 0 : most > std::bit_cast<T>(static_cast<bits_of<T>>(expected_)))
      throw std::runtime_error("self-check: the array's maximum is not the one that was written");
  });
}

}  // namespace syncmeter
