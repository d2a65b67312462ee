#include "driver/results/arms_in_names.hpp"

#include <exception>
#include <string>

#include <nlohmann/json.hpp>

#include "driver/results/results.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

std::string without_arm(const std::string& name) { return name.substr(0, name.rfind('@')); }

// Of a key only what stands before the visit's number names point and build.
void renew_key(json& line) {
  const std::string key = text_in(line, "key");
  if (key.empty()) return;
  try {
    line["key"] = visits_key(line.at("point").get<point>(), text_in(line, "build")) +
                  key.substr(key.rfind('|') + 1);
  } catch (const std::exception&) {  // such a point costs its line, which its reader says
  }
}

json* object_in(json& from, const char* member) {
  const auto found = from.find(member);
  return found != from.end() && found->is_object() ? &*found : nullptr;
}

}  // namespace

void split_arms(json& line) {
  const auto shorten = [](json& object, const char* member) {
    if (const std::string name = text_in(object, member); name.find('@') != std::string::npos)
      object[member] = without_arm(name);
  };
  for (const char* member : {"point", "measured_as"}) {
    json* const what = object_in(line, member);
    if (what == nullptr) continue;
    const std::string backend = text_in(*what, "backend");
    if (what->contains("arm") || backend.find('@') == std::string::npos) return;
    (*what)["arm"] = backend.substr(backend.rfind('@') + 1);
    shorten(*what, "backend");
  }
  for (const char* member : {"backend", "native_of", "worker"}) shorten(line, member);
  renew_key(line);
}

void split_arms_of_plan(json& campaign) {
  if (json* const plan = object_in(campaign, "plan")) {
    if (json* const backends = object_in(*plan, "backends")) {
      json merged = json::object();
      for (const auto& [backend, share] : backends->items()) {
        json& sum = merged[without_arm(backend)];
        for (const char* count : {"points", "visits"})
          sum[count] =
              (sum.is_object() ? number_or(sum, count, 0) : 0) + number_or(share, count, 0);
      }
      *backends = std::move(merged);
    }
  }
  if (json* const gpus = object_in(campaign, "gpus")) {
    json plain = json::object();
    for (const auto& [backend, gpu] : gpus->items()) plain[without_arm(backend)] = gpu;
    *gpus = std::move(plain);
  }
}

}  // namespace syncmeter
