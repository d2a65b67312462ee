#include "backends/cuda/reduction/reduction_rig.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/axes.hpp"
#include "core/worker/worker.hpp"

namespace syncmeter::cuda {
namespace {

constexpr std::uint32_t most_on_host = 1U << 20U;  // limit for a maximum on the host
constexpr auto timed_input = reduction_input::mixed;

template <class T> std::uint64_t bits(T value) {
  std::uint64_t all = 0;
  std::memcpy(&all, &value, sizeof value);
  return all;
}
template <class T> T value(std::uint64_t all) {
  T one;
  std::memcpy(&one, &all, sizeof one);
  return one;
}

// Zeros of both signs are equal: either may be the maximum.
bool same(value_type type, std::uint64_t a, std::uint64_t b) {
  return by_type(type, [&]<class T>(T) { return value<T>(a) == value<T>(b); });
}

enum class small_input : std::uint8_t { first, last, inside, zeros };
constexpr std::array<std::pair<small_input, std::string_view>, 4> small_inputs{
    {{small_input::first, "all negative, the first the largest"},
     {small_input::last, "all negative, the last the largest"},
     {small_input::inside, "both signs"},
     {small_input::zeros, "all negative but one -0.0"}}};

// Fills input with a unique maximum, for unsigned types too.
template <class T> void fill_small(std::vector<T>& values, std::uint32_t n, small_input what) {
  const auto signs =
      what == small_input::inside ? reduction_input::mixed : reduction_input::negative;
  values.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) values[i] = reduction_element<T>(i, n, signs);
  const std::uint32_t place = what == small_input::first ? 0
                              : what == small_input::last
                                  ? n - 1
                                  : static_cast<std::uint32_t>(mixed_word(n) % n);
  const bool zero = what == small_input::zeros && std::is_signed_v<T>;
  values[place] = zero ? static_cast<T>(-T{}) : reduction_maximum<T>(n, signs);
}

using queue_one = void (*)(reduction_call&);
queue_one queue_of(std::string_view op) {
  constexpr std::array<std::pair<std::string_view, queue_one>, 6> forms{
      {{"reduce_max_global_atomic", &reduce_max_global_atomic},
       {"reduce_max_warp_atomic", &reduce_max_warp_atomic},
       {"reduce_max_block_atomic", &reduce_max_block_atomic},
       {"reduce_max_warp_reduce", &reduce_max_warp_reduce},
       {"reduce_max_persistent", &reduce_max_persistent},
       {"reduce_max_cub", &reduce_max_cub}}};
  const auto found = std::ranges::find(forms, op, &std::pair<std::string_view, queue_one>::first);
  if (found == forms.end())
    throw std::invalid_argument(fmt::format("'{}' is not a form of a reduction", op));
  return found->second;
}

void require_library(const reduction_call& call) {
  require_success(call.error, "cub::DeviceReduce::Max", __FILE__, __LINE__);
}

std::string text_of(value_type type, std::uint64_t all) {
  return by_type(type, [&]<class T>(T) { return fmt::format("{}", value<T>(all)); });
}

}  // namespace

void reduction_rig::prepare_point() {
  host_loop_rig::prepare_point();
  kind_ = static_cast<array_op>(what_->info.kind);
  require_supported();
  call_ = {};
  call_.type = *what_->type;
  call_.elements = where_.size;
  call_.threads = where_.lanes;
  call_.stream = stream_.get();
  call_.resident_blocks =
      resident_blocks_per_multiprocessor(call_.type, where_.lanes) * device_.multiprocessors;
  fit_memory();
  if (finds_maximum()) by_type(call_.type, [this]<class T>(T) { check_small_inputs<T>(); });
  fit_scratch(call_);  // small inputs may have moved the scratch memory
  seed_ = mixed_word(seed_);
  place_ = 0;
  fill_input(call_, seed_, timed_input);
  by_type(call_.type, [this]<class T>(T) { check_input<T>(); });
  if (kind_ == array_op::copy) SM_CUDA(cudaMemsetAsync(call_.copy, 0, bytes(), call_.stream));
  SM_CUDA(cudaStreamSynchronize(call_.stream));
}

// Checks that the planted value is the maximum: on the device by integer keys, and for small arrays
// on the host as well.
template <class T> void reduction_rig::check_input() {
  plant();
  if (const auto found = ask(&reference_maximum, call_.data); !same(call_.type, found, expected_)) {
    throw std::runtime_error(fmt::format("self-check: the maximum of the input is {}, expected {}",
                                         text_of(call_.type, found),
                                         text_of(call_.type, expected_)));
  }
  if (call_.elements > most_on_host) return;
  std::vector<T> values(call_.elements);
  SM_CUDA(cudaMemcpy(values.data(), call_.data, bytes(), cudaMemcpyDeviceToHost));
  if (*std::ranges::max_element(values) != value<T>(expected_))
    throw std::runtime_error(
        "self-check: host and device compute different maxima of the same input");
}

// Runs three reductions in a row, to check the cells each prepares for the next.
template <class T> void reduction_rig::check_small_inputs() {
  constexpr std::array<std::uint32_t, 9> sizes{1, 2, 31, 33, 255, 257, 1000, 4099, 70001};
  reduction_call small = call_;
  small.data = small_.fit(sizes.back() * sizeof(T));
  std::vector<T> values;
  for (const std::uint32_t n : sizes) {
    for (const auto& [what, text] : small_inputs) {
      fill_small(values, n, what);
      small.elements = n;
      small.queued = 0;
      fit_scratch(small);
      SM_CUDA(cudaMemcpyAsync(small_.get(), values.data(), n * sizeof(T), cudaMemcpyHostToDevice,
                              small.stream));
      clear_results(small, false);
      for (int i = 0; i < 3; ++i) queue_of(what_->info.name)(small);
      SM_CUDA(cudaGetLastError());
      require_library(small);
      const T most = *std::ranges::max_element(values);
      if (const auto wrong = compare(small, bits(most)); !wrong.empty())
        throw std::runtime_error(fmt::format("self-check on a small input ({}): {}", text, wrong));
    }
  }
}

void reduction_rig::plant() {
  draw_ = mixed_word(draw_);
  const auto place = static_cast<std::uint32_t>((draw_ >> 32U) % call_.elements);
  const std::uint64_t height = draw_ & 0xfffffU;
  plant_maximum(call_, seed_, timed_input, place_, place, height);
  place_ = place;
  expected_ = by_type(call_.type,
                      [&]<class T>(T) { return bits(reduction_maximum<T>(height, timed_input)); });
}

std::uint64_t reduction_rig::ask(void (*reference)(const reduction_call&, const void*,
                                                   std::uint64_t*),
                                 const void* from) {
  auto* const answer = static_cast<std::uint64_t*>(answer_.get());
  reference(call_, from, answer);
  std::uint64_t found = 0;
  SM_CUDA(cudaMemcpyAsync(&found, answer, sizeof found, cudaMemcpyDeviceToHost, call_.stream));
  SM_CUDA(cudaStreamSynchronize(call_.stream));
  return found;
}

void reduction_rig::require_supported() const {
  if (where_.size == 0) throw point_refused("needs --size: the number of elements");
  if (where_.size > most_elements)
    throw point_refused(fmt::format("--size {}: at most {} elements", where_.size, most_elements));
  require_whole_warps("reduction");
  if (where_.blocks != 1)
    throw point_refused(fmt::format(
        "--blocks {}: a reduction derives its grid from --size; use --blocks 1", where_.blocks));
  if (where_.active != 0) throw point_refused("--active is not supported by reductions");
}

// Checks the memory for both arrays before either is freed: a size too large is refused, and not a
// failure.
void reduction_rig::fit_memory() {
  const std::size_t needed = bytes() * (kind_ == array_op::copy ? 2 : 1);
  std::size_t free = 0, all = 0;
  SM_CUDA(cudaMemGetInfo(&free, &all));
  const std::size_t held = data_bytes_ + copy_bytes_;
  constexpr std::size_t reserve = std::size_t{64} << 20U;
  if (needed + reserve > free + held) {
    throw point_refused(
        fmt::format("--size {}: needs {} bytes of device memory; {} of {} are free on {}",
                    where_.size, needed, free + held, all, device_.name));
  }
  if (bytes() > data_bytes_ || (kind_ == array_op::copy && bytes() > copy_bytes_)) {
    data_ = {};
    copy_ = {};
    data_bytes_ = copy_bytes_ = 0;
  }
  call_.data = data_.fit(bytes());
  data_bytes_ = std::max(data_bytes_, bytes());
  if (kind_ == array_op::copy) {
    call_.copy = copy_.fit(bytes());
    copy_bytes_ = std::max(copy_bytes_, bytes());
  }
  call_.results = results_.fit(result_cells * sizeof(std::uint64_t));
  host_results_.fit(result_cells * sizeof(std::uint64_t));
  answer_.fit(sizeof(std::uint64_t));
}

void reduction_rig::fit_scratch(reduction_call& call) {
  if (kind_ != array_op::library_maximum) return;
  call.scratch_bytes = cub_scratch_bytes(call);
  call.scratch = scratch_.fit(std::max<std::size_t>(call.scratch_bytes, 1));
}

// Moves the maximum, to expose results left over from another sample.
void reduction_rig::begin_sample() {
  plant();
  if (!finds_maximum()) expected_ = ask(&reference_xor, call_.data);
  clear_results(call_, !finds_maximum());
  call_.queued = 0;
  SM_CUDA(cudaStreamSynchronize(call_.stream));
}

std::string reduction_rig::verdict(std::uint64_t ops) {
  SM_CUDA(cudaGetLastError());  // from the launches
  require_library(call_);
  if (call_.queued != ops)
    return fmt::format("oracle: {} reductions were queued, expected {}", call_.queued, ops);
  if (kind_ != array_op::copy) return compare(call_, expected_);
  const std::uint64_t copied = ask(&reference_xor, call_.copy);
  if (copied == expected_) return {};
  return fmt::format("oracle: the xor of the copy is {:#x}, that of the array {:#x}", copied,
                     expected_);
}

std::string reduction_rig::compare(const reduction_call& call, std::uint64_t expected) {
  const std::size_t size = size_of(call.type);
  const std::uint64_t cells = std::min<std::uint64_t>(call.queued, result_cells);
  auto* const results = static_cast<std::byte*>(host_results_.get());
  SM_CUDA(
      cudaMemcpyAsync(results, call.results, cells * size, cudaMemcpyDeviceToHost, call.stream));
  SM_CUDA(cudaStreamSynchronize(call.stream));
  const bool words = kind_ == array_op::read;
  for (std::uint64_t i = 0; i < cells; ++i) {
    // The last reduction prepared this cell for a successor that never came.
    if (call.queued >= result_cells && i == call.queued % result_cells) continue;
    std::uint64_t result = 0;
    std::memcpy(&result, results + i * size, words ? sizeof(std::uint32_t) : size);
    if (words ? result == expected : same(call.type, result, expected)) continue;
    if (words)
      return fmt::format("oracle: the xor of the array is {:#x}; the kernel returned {:#x}",
                         expected, result);
    return fmt::format("oracle: the maximum of {} elements is {}; the reduction returned {}",
                       call.elements, text_of(call.type, expected), text_of(call.type, result));
  }
  return {};
}

void reduction_rig::describe(nlohmann::json& visit) const {
  host_loop_rig::describe(visit);
  // If the array fits in L2, each reduction reads lines left there by the previous reduction.
  describe_footprint(visit, bytes() * (kind_ == array_op::copy ? 2 : 1));
}

}  // namespace syncmeter::cuda
