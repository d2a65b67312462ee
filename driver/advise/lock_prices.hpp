// What a lock costs that threads take all the time: by how often they do and what it takes on this
// machine by itself, as it is and with another one in its place. No time of a counted run is in
// that, so that it stands where counting makes another program of this one.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "driver/advise/rules.hpp"

namespace syncmeter {

/// The locks that are swapped in, as the library of swaps names them.
inline constexpr std::array<const char*, 3> priced_swaps{"adaptive", "ttas", "mcs"};

/// The op of a lock that several threads take one after another; nothing for a site of another
/// kind, and for one that is taken so seldom that it does not matter what such a loop takes.
[[nodiscard]] std::optional<point> priced_point_of_lock(const site& of, double wall_s,
                                                        const program_file& program);
/// Whether another mutex can be put in the place of this op's.
[[nodiscard]] bool is_price_of_mutex(const point& what);

/// "takes 0.45 to 0.47 s more".
[[nodiscard]] std::string saving_text_of(const swap_saving& of);

/// Makes an advice on a lock one of counts and prices where times of counted runs are no times of
/// the program, and tells what other locks would save. Nothing where this lock has no price, or
/// where its price says that most of the time is spent elsewhere.
void add_prices_of_lock(advice& found, const site& first, double calls_of_thread,
                        const advice_setting& setting);

}  // namespace syncmeter
