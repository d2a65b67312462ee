// Messages between ranks and the process that started the ranks: identity, descriptors from the
// driver for rank 0, and farewell.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace syncmeter::mpi {

/// The first message from a rank.
struct rank_hello {
  std::int32_t rank = 0;
  std::int32_t ranks = 0;    ///< size of the rank's world
  std::int32_t on_node = 0;  ///< ranks of the world on the same node
  std::int32_t pid = 0;
};
/// The last message. A rank that ends without a farewell has died.
inline constexpr char farewell = 'f';

/// Returns why `found` cannot become the world of `wanted` ranks that `launcher` should start, or
/// an empty text. `library` is this program's MPI.
[[nodiscard]] std::string why_not_one_world(const std::vector<rank_hello>& found, int wanted,
                                            const std::string& launcher,
                                            const std::string& library);

/// One end of the socket between a rank and its starter. Move-only.
class rank_link {
 public:
  explicit rank_link(int fd) : fd_{fd} {}
  ~rank_link();
  rank_link(rank_link&& other) noexcept : fd_{other.fd_} { other.fd_ = -1; }
  rank_link& operator=(rank_link&& other) noexcept;
  rank_link(const rank_link&) = delete;

  /// Connects a rank to the listener at `address` on the same node. Throws std::runtime_error
  /// without a listener.
  static rank_link to(const std::string& address);

  [[nodiscard]] int fd() const { return fd_; }
  void say(const rank_hello& who) const;
  /// Returns false at the end of the connection.
  [[nodiscard]] bool hear(rank_hello& who) const;
  void hand_over(const std::vector<int>& descriptors) const;
  /// Throws std::runtime_error if no descriptors arrive, because the ranks were refused.
  [[nodiscard]] std::vector<int> take_over() const;
  void say_farewell() const;
  /// From now on the kernel kills this process if the other end closes.
  void live_no_longer_than_it() const;

 private:
  int fd_;
};

/// Listens at a unique address on this node. Ranks connect to `address`.
struct rank_listener {
  rank_link link;
  std::string address;
};
[[nodiscard]] rank_listener listen_for_ranks();

}  // namespace syncmeter::mpi
