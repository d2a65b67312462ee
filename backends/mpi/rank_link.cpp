#include "backends/mpi/rank_link.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace syncmeter::mpi {
namespace {

constexpr std::size_t most_descriptors = 4;

[[noreturn]] void fail(std::string_view doing) {
  throw std::runtime_error(fmt::format("{}: {}", doing, std::strerror(errno)));
}

// Makes an abstract address, which leaves no file.
std::pair<sockaddr_un, socklen_t> named(const std::string& address) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  address.copy(&name.sun_path[1], sizeof name.sun_path - 2);
  const auto length = offsetof(sockaddr_un, sun_path) + 1 + address.size();
  return {name, static_cast<socklen_t>(length)};
}

int new_socket() {
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  return fd;
}

/// A message of one byte, with space for descriptors.
struct descriptor_message {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * most_descriptors)> control{};
  char byte = 0;
  iovec text{&byte, 1};
  msghdr header{};

  descriptor_message() {
    header.msg_iov = &text;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
};

}  // namespace

std::string why_not_one_world(const std::vector<rank_hello>& found, int wanted,
                              const std::string& launcher, const std::string& library) {
  for (const rank_hello& rank : found) {
    if (rank.ranks != wanted) {
      return fmt::format(
          "{} starts worlds of its own: {} rank(s) in place of {}. It belongs to another MPI than "
          "this worker ({}); name that one's in SYNCMETER_MPIEXEC",
          launcher, rank.ranks, wanted, library);
    }
    if (rank.on_node != wanted) {
      return fmt::format("{} started the ranks on several nodes ({} of {} on one): they must be on "
                         "one node, whose memory they have in common",
                         launcher, rank.on_node, wanted);
    }
  }
  return {};
}

rank_link::~rank_link() {
  if (fd_ >= 0) ::close(fd_);
}

rank_link& rank_link::operator=(rank_link&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

rank_link rank_link::to(const std::string& address) {
  rank_link link{new_socket()};
  const auto [name, length] = named(address);
  if (::connect(link.fd_, reinterpret_cast<const sockaddr*>(&name), length) != 0)
    fail("a rank does not reach the process that started it, which must be on the same node");
  return link;
}

void rank_link::say(const rank_hello& who) const {
  if (::send(fd_, &who, sizeof who, MSG_NOSIGNAL) != sizeof who) fail("a rank's hello");
}

bool rank_link::hear(rank_hello& who) const {
  return ::recv(fd_, &who, sizeof who, 0) == sizeof who;
}

void rank_link::hand_over(const std::vector<int>& descriptors) const {
  descriptor_message message;
  message.header.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
  cmsghdr* const header = CMSG_FIRSTHDR(&message.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof(int) * descriptors.size());
  if (::sendmsg(fd_, &message.header, MSG_NOSIGNAL) != 1) fail("descriptors for a rank");
}

std::vector<int> rank_link::take_over() const {
  descriptor_message message;
  const bool came = ::recvmsg(fd_, &message.header, MSG_CMSG_CLOEXEC) == 1;
  const cmsghdr* const header = came ? CMSG_FIRSTHDR(&message.header) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS)
    throw std::runtime_error("the process that started the ranks has no use for this one");
  std::vector<int> descriptors((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  std::memcpy(descriptors.data(), CMSG_DATA(header), sizeof(int) * descriptors.size());
  return descriptors;
}

void rank_link::say_farewell() const {
  // Disables the signal, because buffer space after the read is also an event and would kill this
  // process.
  ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) & ~O_ASYNC);
  [[maybe_unused]] const auto sent = ::send(fd_, &farewell, 1, MSG_NOSIGNAL);
}

// The kernel sends the signal for any event at the socket. The only event left is the end of the
// connection.
void rank_link::live_no_longer_than_it() const {
  ::fcntl(fd_, F_SETOWN, ::getpid());
  ::fcntl(fd_, F_SETSIG, SIGKILL);
  ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_ASYNC);
  std::array<char, 1> byte{};
  if (::recv(fd_, byte.data(), byte.size(), MSG_DONTWAIT | MSG_PEEK) == 0) ::raise(SIGKILL);
}

rank_listener listen_for_ranks() {
  rank_link link{new_socket()};
  std::uint64_t random = 0;
  if (::getentropy(&random, sizeof random) != 0) fail("getentropy");
  const std::string address = fmt::format("syncmeter-mpi-{}-{:016x}", ::getpid(), random);
  const auto [name, length] = named(address);
  if (::bind(link.fd(), reinterpret_cast<const sockaddr*>(&name), length) != 0) fail("bind");
  if (::listen(link.fd(), 4096) != 0) fail("listen");
  return {std::move(link), address};
}

}  // namespace syncmeter::mpi
