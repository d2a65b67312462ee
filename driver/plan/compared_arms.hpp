// The two arms of a campaign that compares two builds, or two environments of one, as its first
// line tells of them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/point.hpp"

namespace syncmeter {

struct build_arm {
  std::string name;                      ///< "old"
  std::string path;                      ///< a worker, or a folder that holds them
  std::vector<std::string> environment;  ///< NAME=VALUE, besides what every worker has
};

struct compared_arms {
  std::array<build_arm, 2> arms;
  double threshold = 0.01;   ///< a smaller change, as a share, is none
  bool all = false;          ///< points of equal code are measured too
  bool looks_again = false;  ///< points that cannot be told are visited until the budget is spent
  bool any_backend = false;  ///< one worker against another: its backends may have other names
  bool any_wait = false;     ///< the environments name different ways of waiting
  std::size_t equal = 0;     ///< points that are not measured: equal machine code in both arms
  std::array<std::vector<std::string>, 2> only{};  ///< points that one arm alone has
};

/// Equal for those points of the two arms that are compared.
[[nodiscard]] std::string arm_key(point p, const compared_arms& arms);

void to_json(nlohmann::json& j, const compared_arms& arms);
/// Throws nlohmann::json::exception for what is no such object.
void from_json(const nlohmann::json& j, compared_arms& arms);

/// What a campaign line says of arms; nothing where it is of a campaign without. Throws usage_error
/// naming the file where it cannot be read.
[[nodiscard]] std::optional<compared_arms> arms_in(const nlohmann::json& campaign,
                                                   const std::string& path);

}  // namespace syncmeter
