// What the driver needs of its own process, whoever started it.
#pragma once

namespace syncmeter {

/// Opens descriptors 0 to 2 where they are closed, so that no file or pipe of ours becomes a
/// standard stream. What is then written to standard output or error is an error.
void open_standard_streams();

/// Has the ends of children told, even if our parent ignored theirs.
void hear_of_children();

/// While it lives, processes that lose their parent among our descendants become our children; at
/// its end all children are killed: what a worker started and left behind. It does nothing where
/// this process had children when it began: a shell that became this program may have left some.
class descendants {
 public:
  descendants();
  descendants(const descendants&) = delete;
  descendants& operator=(const descendants&) = delete;
  ~descendants();

 private:
  void end_all() const;
  bool adopted_ = false;
};

}  // namespace syncmeter
