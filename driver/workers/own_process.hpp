// What the driver needs of its own process, whoever started it.
#pragma once

namespace syncmeter {

/// Opens descriptors 0 to 2 where they are closed, so that no file or pipe of ours becomes a
/// standard stream. What is then written to standard output or error is an error.
void open_standard_streams();

/// From now on processes that lose their parent among our descendants become our children, and the
/// ends of children are told, even if our parent ignored theirs.
void adopt_descendants();

/// Kills and reaps all children: what a worker started and left behind.
void end_descendants();

}  // namespace syncmeter
