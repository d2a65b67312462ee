#include "driver/census/census_store.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/worker/json_line.hpp"
#include "driver/census/census_table.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

std::string census_file_of(const worker_info& worker) { return worker.path + ".census.json"; }

// A loop's name tells backend, op, type and form apart.
const std::string& name_of(const capability& what) { return what.symbols.back(); }

}  // namespace

std::string save_census(const worker_info& worker, std::span<const capability> entries,
                        std::span<const census_entry> census) {
  json kept = json::object();
  auto next = census.begin();
  for (const capability& what : entries) {
    if (!what.supported) continue;
    const census_entry& entry = *next++;
    if (!what.symbols.empty()) kept[name_of(what)] = census_summary(entry);
  }
  if (kept.empty()) return {};
  const std::string file = census_file_of(worker);
  const std::string fresh = file + ".new";
  std::ofstream out(fresh);
  out << json{{"build", worker.build}, {"entries", std::move(kept)}}.dump() << '\n';
  out.close();
  if (!out) return fmt::format("cannot write {}: {}", fresh, std::strerror(errno));
  std::error_code error;
  std::filesystem::rename(fresh, file, error);
  return error ? fmt::format("cannot write {}: {}", file, error.message()) : std::string{};
}

void read_census(worker_info& worker) {
  std::ifstream in(census_file_of(worker), std::ios::binary);
  json stored;
  try {
    stored = read_json(std::string(std::istreambuf_iterator<char>(in), {}));
  } catch (const std::ios_base::failure&) {
    worker.passed_over.push_back(
        fmt::format("the census of worker '{}' is left out: {} cannot be read", worker.name,
                    census_file_of(worker)));
    return;
  }
  if (!stored.is_object() || !stored.contains("entries") ||
      stored.value("build", json()) != worker.build)
    return;
  const json& entries = stored.at("entries");
  for (capability& what : worker.capabilities) {
    if (what.symbols.empty()) continue;
    if (const auto found = entries.find(name_of(what)); found != entries.end())
      what.census = *found;
  }
}

}  // namespace syncmeter
