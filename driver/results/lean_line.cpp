#include "driver/results/lean_line.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/point.hpp"
#include "driver/results/catalogue.hpp"
#include "driver/results/pooled_rounds.hpp"
#include "driver/workers/worker_info.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

constexpr int digits = 7;
// Of one round among fifty: what it scatters by is far more.
constexpr int digits_of_a_round = 5;

double rounded(double value, int significant) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int places = significant - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  // Divided by a power of ten, not multiplied by its inverse: the text stays short.
  const double power = std::pow(10.0, std::abs(places));
  if (!std::isfinite(power)) return value;  // the digits of so small a number are few
  return places >= 0 ? std::round(value * power) / power : std::round(value / power) * power;
}

void shorten(json& value) {
  if (value.is_number_float()) {
    value = rounded(value.get<double>(), digits);
  } else if (value.is_structured()) {
    for (json& member : value) shorten(member);
  }
}

}  // namespace

void make_lean(json& line, bool keep_rounds) {
  if (!keep_rounds && line.contains("rounds")) {
    if (line.contains("device")) {
      const unsigned participants = line.value("participants", 0U);
      json costs = json::array();
      for (const double cost : round_costs_ns(
               line, participants != 0 ? participants : warps_of(line.at("point").get<point>())))
        costs.push_back(rounded(cost, digits_of_a_round));
      if (!costs.empty()) line["round_costs_ns"] = std::move(costs);
    }
    line.erase("rounds");
  }
  shorten(line);
}

}  // namespace syncmeter
