// The version of the language that driver and workers speak (docs/worker-protocol.md).
#pragma once

namespace syncmeter {

/// What a worker and a driver must have in common.
inline constexpr int protocol_version = 1;
/// What was added since: members that a reader may ignore.
inline constexpr int protocol_minor = 0;

}  // namespace syncmeter
