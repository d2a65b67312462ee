#include "core/host/thread_team.hpp"

#include <cassert>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "core/host/gate.hpp"

namespace syncmeter {

wait_policy wait_policy_here() {
  const char* said = std::getenv("OMP_WAIT_POLICY");
  return from_text<wait_policy>(said != nullptr ? said : "").value_or(wait_policy::passive);
}

unsigned spins_before_sleep(wait_policy waiting) {
  return waiting == wait_policy::active ? 20000 : 0;
}

void have_had_a_second_thread() {
  std::thread([] {}).join();
}

thread_team::thread_team(wait_policy waiting) : spins_{spins_before_sleep(waiting)} {}

thread_team::~thread_team() { release(); }

void thread_team::wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t old) const {
  for (unsigned spin = 0; spin < spins_; ++spin) {
    if (word.load(std::memory_order_acquire) != old) return;
    spin_pause();
  }
  word.wait(old, std::memory_order_acquire);
}

void thread_team::run_lane(unsigned lane) {
  try {
    (*body_)(lane);
  } catch (...) {
    thrown_[lane] = std::current_exception();
  }
}

void thread_team::serve(unsigned lane, std::uint32_t past) {
  for (;; ++past) {
    wait_while(regions_, past);
    if (body_ == nullptr) return;
    run_lane(lane);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

bool thread_team::start(unsigned lanes) {
  release();
  const auto past = regions_.load(std::memory_order_relaxed);
  try {
    threads_.reserve(lanes - 1);
    for (unsigned lane = 1; lane < lanes; ++lane)
      threads_.emplace_back(&thread_team::serve, this, lane, past);
  } catch (const std::system_error&) {
    release();
    return false;
  }
  return true;
}

bool thread_team::run(unsigned lanes, const region& body) {
  assert(lanes >= 1);
  if (threads_.size() + 1 != lanes && !start(lanes)) return false;
  body_ = &body;
  thrown_.assign(lanes, nullptr);
  running_.store(lanes - 1, std::memory_order_relaxed);
  regions_.fetch_add(1, std::memory_order_release);
  regions_.notify_all();
  run_lane(0);
  while (const auto left = running_.load(std::memory_order_acquire)) wait_while(running_, left);
  for (auto& error : thrown_) {
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
  }
  return true;
}

void thread_team::release() {
  body_ = nullptr;
  regions_.fetch_add(1, std::memory_order_release);
  regions_.notify_all();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace syncmeter
