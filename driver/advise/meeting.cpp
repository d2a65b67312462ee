#include "driver/advise/meeting.hpp"

#include <algorithm>

namespace syncmeter {

std::string spread_text(const std::vector<double>& each_s) {
  const auto [least, most] = std::ranges::minmax(each_s);
  return range_text(least, most);
}

std::string spread_text(const std::vector<double>& each_s, double wall_s) {
  const auto [least, most] = std::ranges::minmax(each_s);
  return range_text(std::min(least, wall_s), std::min(most, wall_s));
}

bool may_be_others(const meeting& m, double waits_s) {
  const bool undisturbed =
      std::ranges::any_of(m.runs, [](const site_cost& run) { return !run.is_disturbed; });
  if (undisturbed) return false;
  double without_s = m.setting.others_share * m.setting.allowed_pus * m.setting.wall_s;
  if (m.setting.run_delay_s) without_s = std::min(without_s, *m.setting.run_delay_s);
  const double threads = m.of.times->threads;
  return waits_s <= without_s * (threads - 1) / threads;
}

bool is_price_worth_it(const meeting& m) {
  return m.price_ns && m.is_worth_saying(m.count() * m.price_ns->low * 1e-9);
}

bool is_shown(const meeting& m, const beside_equal_work& each) {
  // Equal work in turn is beside the same others.
  if (each.equal_work_s.empty()) return !may_be_others(m, each.shown_s());
  return each.is_longer() && m.is_worth_saying(each.shown_s() - median(each.equal_work_s));
}

}  // namespace syncmeter
