// Rings of lanes that wait for each other through channels: an API's way to sleep until something
// comes, or a way to spin. The objects of ops (core/cell_object.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/cell_object.hpp"
#include "core/host/lane_memory.hpp"
#include "core/op.hpp"
#include "core/ops/spun_work.hpp"

namespace syncmeter {

/// What a lane waits on. `Channel::receive(box, token)` comes back when `token` has come and
/// returns what came; `Channel::send(box, token)` lets it come. `box` is the receiver's word, on a
/// line of its own.
template <class Channel> class channel_ring {
 public:
  /// `seats`: who takes part. Throws what the constructor of a channel throws.
  explicit channel_ring(sharers seats) : lanes_{seats.lanes}, ends_(seats.lanes) {
    for (unsigned lane = 0; lane < lanes_; ++lane) ends_[lane].due = lane;
  }

  /// What is wrong after `ops` ops of each lane; empty when nothing is.
  [[nodiscard]] std::string check(std::uint64_t ops) const {
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      const end& at = ends_[lane];
      if (at.wrong != 0) return fmt::format("thread {}: came back without its token", lane);
      if (at.done != ops) return fmt::format("thread {}: {} steps, not {}", lane, at.done, ops);
    }
    return {};
  }

 protected:
  struct end {
    alignas(128) Channel channel;
    alignas(128) std::uint64_t box = ~std::uint64_t{0};
    alignas(128) std::uint64_t done = 0;  // steps of its lane
    std::uint64_t wrong = 0;              // bits in which a token differed
    unsigned due = 0;                     // late_ring: steps until it is late
  };

  [[nodiscard]] end& next_of(unsigned lane) { return ends_[lane + 1 == lanes_ ? 0 : lane + 1]; }
  static void receive(end& at, std::uint64_t token) {
    at.wrong |= at.channel.receive(at.box, token) ^ token;
  }
  static void send(end& to, std::uint64_t token) { to.channel.send(to.box, token); }

  unsigned lanes_;
  std::vector<end, lane_allocator<end>> ends_;
};

/// One token goes around. Lane 0 finds it in its channel at first.
template <class Channel> class token_ring : channel_ring<Channel> {
  using ring = channel_ring<Channel>;

 public:
  explicit token_ring(sharers seats) : ring{seats} { ring::send(ring::ends_[0], 0); }
  using ring::check;

  /// The step of a lane: waits for the token and passes it on. A call on both sides of a loop.
  SM_LOOP void pass_on(unsigned lane) {
    auto& mine = ring::ends_[lane];
    const std::uint64_t token = mine.done++;
    ring::receive(mine, token);
    ring::send(ring::next_of(lane), lane + 1 == ring::lanes_ ? token + 1 : token);
  }
};

/// The lane that is late next waits for the one that is late now. In step k lane k, modulo lanes,
/// sends to the next one; the others have nothing to do in it.
template <class Channel> class late_ring : channel_ring<Channel> {
  using ring = channel_ring<Channel>;

 public:
  explicit late_ring(sharers seats) : ring{seats} {}

  /// In the baseline nobody meets.
  [[nodiscard]] std::string check(std::uint64_t ops) const {
    return ring::check(ring::ends_[0].done == 0 ? 0 : ops);
  }

  /// The step of a lane, which has been late where that was its turn. A call, as pass_on.
  SM_LOOP void meet(unsigned lane) {
    auto& mine = ring::ends_[lane];
    const std::uint64_t token = mine.done++;
    if (mine.due == 0) {
      mine.due = ring::lanes_ - 1;
      ring::send(ring::next_of(lane), token);
      return;
    }
    if (mine.due-- == 1) ring::receive(mine, token);
  }
};

/// Lane 0 works, and the others wait until it has.
template <class Channel> class worked_ring : channel_ring<Channel> {
  using ring = channel_ring<Channel>;

 public:
  worked_ring(sharers seats, std::uint64_t work) : ring{seats}, work_{work} {}
  using ring::check;

  /// The step of a lane. A call, as pass_on.
  SM_LOOP void work_or_wait(unsigned lane) {
    auto& mine = ring::ends_[lane];
    const std::uint64_t token = mine.done;
    if (lane == 0) {
      ops::spend_wide(work_);
      for (unsigned other = 1; other < ring::lanes_; ++other) tell(ring::ends_[other], token);
    } else {
      ring::receive(mine, token);
    }
    __atomic_store_n(&mine.done, token + 1, __ATOMIC_RELEASE);
  }

 private:
  /// Not before it has received the token that came before: it waits for each.
  static void tell(typename ring::end& other, std::uint64_t token) {
    while (__atomic_load_n(&other.done, __ATOMIC_ACQUIRE) < token) spin_pause();
    ring::send(other, token);
  }

  std::uint64_t work_;
};

}  // namespace syncmeter
