#include "driver/plan/compared_arms.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/text/usage_error.hpp"

namespace syncmeter {

std::string arm_key(point p, const compared_arms& arms) {
  p.arm.clear();
  if (arms.any_backend) p.backend = "any";
  if (arms.any_wait) p.wait = {};
  return canonical(p);
}

void to_json(nlohmann::json& j, const compared_arms& arms) {
  nlohmann::json each = nlohmann::json::array();
  for (const build_arm& arm : arms.arms)
    each.push_back({{"name", arm.name}, {"path", arm.path}, {"environment", arm.environment}});
  j = {{"arms", std::move(each)},
       {"threshold", arms.threshold},
       {"all", arms.all},
       {"looks_again", arms.looks_again},
       {"any_backend", arms.any_backend},
       {"any_wait", arms.any_wait},
       {"equal", arms.equal},
       {"only", arms.only}};
}

void from_json(const nlohmann::json& j, compared_arms& arms) {
  for (std::size_t i = 0; i < arms.arms.size(); ++i) {
    const nlohmann::json& arm = j.at("arms").at(i);
    arms.arms[i] = {arm.at("name"), arm.at("path"), arm.at("environment")};
  }
  arms.threshold = j.at("threshold");
  arms.all = j.value("all", false);
  arms.looks_again = j.value("looks_again", false);
  arms.any_backend = j.value("any_backend", false);
  arms.any_wait = j.value("any_wait", false);
  arms.equal = j.value("equal", std::size_t{0});
  arms.only = j.value("only", arms.only);
}

std::optional<compared_arms> arms_in(const nlohmann::json& campaign, const std::string& path) {
  const auto found = campaign.find("ab");
  if (found == campaign.end()) return std::nullopt;
  try {
    return found->get<compared_arms>();
  } catch (const nlohmann::json::exception& error) {
    throw usage_error(fmt::format("{}: line 1: invalid 'ab': {}", path, error.what()));
  }
}

}  // namespace syncmeter
