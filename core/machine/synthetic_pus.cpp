#include "core/machine/synthetic_pus.hpp"

#include <charconv>
#include <limits>

namespace syncmeter {

double pus_described(std::string_view description) {
  double pus = 1;
  int brackets = 0;
  for (std::size_t at = 0; at < description.size(); ++at) {
    const char c = description[at];
    if (c == '(' || c == '[') ++brackets;
    if (c == ')' || c == ']') --brackets;
    const char before = at == 0 ? ' ' : description[at - 1];
    if (brackets != 0 || c < '0' || c > '9' || (before != ':' && before != ' ')) continue;
    unsigned long long count = std::numeric_limits<unsigned long long>::max();
    (void)std::from_chars(description.data() + at, description.data() + description.size(), count);
    pus *= static_cast<double>(count);
  }
  return pus;
}

}  // namespace syncmeter
