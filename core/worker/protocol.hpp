// The version of the language that driver and workers speak (docs/worker-protocol.md).
#pragma once

namespace syncmeter {

inline constexpr int protocol_version = 1;

}  // namespace syncmeter
