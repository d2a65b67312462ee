// The options of each sub-command and what --help says of them; what they mean is parsed in
// options.cpp.
#pragma once

#include <boost/program_options.hpp>

namespace syncmeter {

[[nodiscard]] boost::program_options::options_description run_description();
[[nodiscard]] boost::program_options::options_description show_description();
[[nodiscard]] boost::program_options::options_description list_description();

}  // namespace syncmeter
