// A campaign of more pairs of PUs than its time lasts for.
#pragma once

#include <vector>

#include "driver/plan/plan.hpp"

namespace syncmeter {

/// A sample of each class of pairs comes first, with all its visits, then single pairs pass by pass
/// as far as `budget_s` lasts: a campaign that is cut short has every class and a coarse matrix.
void put_sample_first(campaign_plan& plan, const std::vector<processing_unit>& units,
                      double budget_s);

}  // namespace syncmeter
