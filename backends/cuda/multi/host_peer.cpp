#include <atomic>
#include <chrono>

#include <fmt/format.h>

#include "backends/cuda/multi/device_state.hpp"

namespace syncmeter::cuda {
namespace {

std::string wait_timed_out(unsigned token) {
  return fmt::format("timeout: the host waited {} s for token {}", wait_limit_ns / 1'000'000'000,
                     token);
}

}  // namespace

bool host_peer::await(unsigned token, bool ordered) const {
  using clock = std::chrono::steady_clock;
  const std::atomic_ref<unsigned> mailbox{word(host_mailbox)};
  const auto order = ordered ? std::memory_order_acquire : std::memory_order_relaxed;
  const auto deadline = clock::now() + std::chrono::nanoseconds{wait_limit_ns};
  for (unsigned polls = 1; mailbox.load(order) != token; ++polls) {
    if (polls % 65536 == 0 && clock::now() > deadline) return false;
  }
  return true;
}

void host_peer::pass(unsigned token, bool ordered) const {
  const std::atomic_ref<unsigned> mailbox{word(device_mailbox)};
  mailbox.store(token, ordered ? std::memory_order_release : std::memory_order_relaxed);
}

std::string host_peer::hand_on(std::uint64_t rotations, bool ordered) {
  unsigned token = 1;
  for (std::uint64_t i = 0; i < rotations; ++i, token += 2) {
    if (!await(token, ordered)) return wait_timed_out(token);
    pass(token + 1, ordered);
  }
  return {};
}

std::string host_peer::check(std::uint64_t rotations, bool ordered) {
  unsigned token = 1;
  for (std::uint64_t i = 0; i < rotations; ++i, token += 2) {
    if (!await(token, ordered)) return wait_timed_out(token);
    const auto seen = [&](unsigned at) {
      return std::atomic_ref<unsigned>{word(at)}.load(std::memory_order_relaxed);
    };
    const auto write = [&](unsigned at) {
      std::atomic_ref<unsigned>{word(at)}.store(token + 1, std::memory_order_relaxed);
    };
    constexpr unsigned second = sizeof(unsigned);
    if (seen(host_data) != token) ++wrong_;
    if (seen(device_data + second) != token) ++wrong_;
    write(device_data);
    write(host_data + second);
    pass(token + 1, ordered);
  }
  return {};
}

}  // namespace syncmeter::cuda
