// What ranks and the process that started them say to each other: who is there, the descriptors
// that rank 0 speaks to the driver by, and who has left.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace syncmeter::mpi {

/// The first thing that a rank says.
struct rank_hello {
  std::int32_t rank = 0;
  std::int32_t ranks = 0;    ///< of its world
  std::int32_t on_node = 0;  ///< of these, on its node
  std::int32_t pid = 0;
};
/// The last thing: a rank that goes without it has died.
inline constexpr char farewell = 'f';

/// Why the ranks that have reported are not the world of `wanted` ranks that was asked of
/// `launcher`; empty where they may still become it. `library` is the MPI of this program.
[[nodiscard]] std::string why_not_one_world(const std::vector<rank_hello>& found, int wanted,
                                            const std::string& launcher,
                                            const std::string& library);

/// One end of the socket between a rank and who started it. Move-only.
class rank_link {
 public:
  explicit rank_link(int fd) : fd_{fd} {}
  ~rank_link();
  rank_link(rank_link&& other) noexcept : fd_{other.fd_} { other.fd_ = -1; }
  rank_link& operator=(rank_link&& other) noexcept;
  rank_link(const rank_link&) = delete;

  /// A rank's: to who listens at `address` on this node. Throws std::runtime_error where nobody
  /// does.
  static rank_link to(const std::string& address);

  [[nodiscard]] int fd() const { return fd_; }
  void say(const rank_hello& who) const;
  /// False at its end.
  [[nodiscard]] bool hear(rank_hello& who) const;
  void hand_over(const std::vector<int>& descriptors) const;
  /// Throws std::runtime_error where they do not come: the ranks were refused.
  [[nodiscard]] std::vector<int> take_over() const;
  void say_farewell() const;
  /// From here on this process is killed when the other end is gone.
  void live_no_longer_than_it() const;

 private:
  int fd_;
};

/// Listens at an address of this node that nobody else has; `address` is what ranks connect to.
struct rank_listener {
  rank_link link;
  std::string address;
};
[[nodiscard]] rank_listener listen_for_ranks();

}  // namespace syncmeter::mpi
