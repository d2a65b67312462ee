// What a worker can measure, as its `capabilities` object (docs/worker-protocol.md).
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/worker/worker.hpp"

namespace syncmeter {

/// "barrier", "atomic", ...
[[nodiscard]] std::string_view family_name(family f);

/// {"id","compiler","flags"}; the id is a hash over the compiler, the flags and the machine code of
/// every loop of every backend: another id means other measurements.
[[nodiscard]] nlohmann::json build_json(const worker_identity& who,
                                        const std::vector<worker_backend*>& backends);

[[nodiscard]] nlohmann::json capabilities_json(const worker_identity& who,
                                               const std::vector<worker_backend*>& backends);

/// True when baseline and test are the same machine code although the op means them to differ.
[[nodiscard]] bool is_elided(const measurable& row);

}  // namespace syncmeter
