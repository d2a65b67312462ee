#include "driver/workers/known_backends.hpp"

#include <algorithm>

#include "core/ops/all.hpp"
#include "core/ops/host.hpp"

namespace syncmeter {
namespace {

template <class... Ops> std::vector<std::string> names_in(op_list<Ops...>) {
  return {std::string(Ops::info.name)...};
}

}  // namespace

const std::vector<known_backend>& known_backends() {
  static const std::vector<known_backend> all{
#include "known_backends.inc"
  };
  return all;
}

std::vector<std::string> known_backend_names() {
  std::vector<std::string> names;
  for (const known_backend& known : known_backends()) names.push_back(known.name);
  return names;
}

std::vector<std::string> shared_op_names() { return names_in(shared_ops{}); }

bool is_own_op(const std::string& name) {
  const auto has = [&name](const auto& names) { return std::ranges::count(names, name) > 0; };
  return has(names_in(shared_ops{})) || has(names_in(host_ops{}));
}

bool is_own_backend(const std::string& name) {
  return std::ranges::any_of(known_backends(), [&](const known_backend& known) {
    return name == known.name || (known.several && name.starts_with(known.name + '-'));
  });
}

}  // namespace syncmeter
