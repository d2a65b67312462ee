// A team of plain threads with lanes of std::atomic_ref: the smallest CPU backend there can be,
// and, with broken words planted, what the oracles and litmus checks must catch.
#pragma once

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "core/host/host_backend.hpp"
#include "core/host/lateness.hpp"
#include "core/measurable.hpp"

namespace syncmeter::test {

/// How many regions are running now.
inline std::atomic<int> regions = 0;

inline bool run_threads(unsigned lanes, lane_body body, bench& rig) {
  ++regions;
  std::vector<std::thread> others;
  for (unsigned lane = 1; lane < lanes; ++lane) others.emplace_back(body, std::ref(rig), lane);
  body(rig, 0);
  for (auto& other : others) other.join();
  --regions;
  return true;
}

inline void release_nothing() {}

/// Words that are right.
template <class T, order O>
class sound_lane : public host_lane<T>, public late_words, ring_registers {
 public:
  static constexpr order memory_order = O;
  explicit sound_lane(const lane_setup& s)
      : host_lane<T>{s}, late_words{s}, ring_registers{s},
        gate_{static_cast<start_gate*>(s.backend)}, lanes_{s.lanes} {}

  void await_token() const {
    while (std::atomic_ref{*mailbox_}.load(std::memory_order_acquire) != expected_) spin_pause();
  }
  void take_token() const {
    for (auto seen = expected_; !std::atomic_ref{*mailbox_}.compare_exchange_strong(seen, no_token);
         seen = expected_)
      spin_pause();
  }
  void pass_token() {
    std::atomic_ref{*next_mailbox_}.store(expected_ + bump_, std::memory_order_release);
    ++expected_;
  }
  void barrier() const { gate_->wait(lanes_); }
  void atomic_add(T& x, T by) const { std::atomic_ref<T>{x}.fetch_add(by); }
  T atomic_exchange(T& x, T desired) const { return std::atomic_ref<T>{x}.exchange(desired); }
  void atomic_write(T& x, T value) const { std::atomic_ref<T>{x}.store(value); }
  void fence() const { std::atomic_thread_fence(std::memory_order_seq_cst); }

 private:
  start_gate* gate_;
  unsigned lanes_;
};

/// The same words without what makes them synchronize.
template <class T, order O> class broken_lane : public sound_lane<T, O> {
 public:
  using sound_lane<T, O>::sound_lane;
  void take_token() const { this->await_token(); }  // and leaves it there
  void barrier() const {}
  void atomic_add(T& x, T by) const {
    const T old = this->plain_read(x);
    for (int i = 0; i < 20; ++i) spin_pause();  // wide enough for another lane on any machine
    this->plain_write(x, static_cast<T>(old + by));
  }
  T atomic_exchange(T& x, T desired) const {
    const T old = this->plain_read(x);
    for (int i = 0; i < 20; ++i) spin_pause();
    this->plain_write(x, desired);
    return old;
  }
  void atomic_write(T& x, T value) const { this->plain_write(x, static_cast<T>(value + 1)); }
  void fence() const {}
};

/// What launching lanes did. `wrong_after`: so many launches give the right result.
struct launch_log {
  unsigned by_lane_0 = 0, by_others = 0, within_a_region = 0;
  unsigned wrong_after = ~0U;
};
inline launch_log launches;

/// A launch that only takes notes.
template <class T, order O> class launching_lane : public host_lane<T> {
 public:
  static constexpr order memory_order = O;
  explicit launching_lane(const lane_setup& s) : host_lane<T>{s}, lane_{s.lane} {}

  void launch() {
    ++(lane_ == 0 ? launches.by_lane_0 : launches.by_others);
    if (regions != 0) ++launches.within_a_region;
    this->tally_wrong(launches.by_lane_0 > launches.wrong_after ? 1 : 0);
  }

 private:
  unsigned lane_;
};

template <template <class, order> class Lane> struct backend : host_backend {
  template <class T, form F> using lane = Lane<T, F.order>;
  // Of one order, as tests take no other: each takes seconds to compile with sanitizers.
  template <class Op, class T> static consteval auto forms_of() {
    constexpr auto all_places = places_of(Op::info.places);
    std::array<form, all_places.size()> forms{};
    for (std::size_t i = 0; i < forms.size(); ++i)
      forms[i] = {.order = orders_of(Op::info.orders)[0], .placement = all_places[i]};
    return forms;
  }
  static consteval std::string_view why_unsupported(const op_info&, std::optional<value_type>,
                                                    const form&) {
    return "no such word";
  }
};

}  // namespace syncmeter::test
