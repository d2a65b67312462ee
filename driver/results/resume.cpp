#include "driver/results/resume.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

#include "driver/text/quote.hpp"
#include "driver/text/ranges.hpp"
#include "driver/text/usage_error.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

constexpr std::size_t longest_shown = 200;

// Members of a file that somebody may have edited: what is not a text is shown as JSON.
std::string text_at(const json& object, const json::json_pointer& where) {
  if (!object.contains(where)) return "(none)";
  const json& value = object.at(where);
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', true);
}

void require(bool same, const std::string& path, std::string_view what, const std::string& then,
             const std::string& now) {
  if (same) return;
  throw usage_error(fmt::format(
      "--resume: '{}' was measured {} {}, but here it is {}; start a new file with --output", path,
      what, quote(then, longest_shown), quote(now, longest_shown)));
}

std::vector<int> allowed_in(const json& campaign) {
  std::vector<int> numbers;
  const auto found = campaign.find("allowed_pus");
  if (found == campaign.end() || !found->is_array()) return numbers;
  for (const json& number : *found) {
    if (number.is_number_integer()) numbers.push_back(number.get<int>());
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

void require_same_identity(const results_file& file, const campaign_identity& now) {
  const json major = file.campaign.contains("/schema/major"_json_pointer)
                         ? file.campaign.at("/schema/major"_json_pointer)
                         : json();
  require(major == schema_major, file.path, "with schema", major.dump(-1, ' ', true),
          fmt::format("{}", schema_major));
  const std::string cpu_then = text_at(file.campaign, "/machine/cpu_model"_json_pointer);
  require(cpu_then == now.cpu_model, file.path, "on the CPU", cpu_then, now.cpu_model);
  std::vector<int> allowed_now = now.allowed_pus;
  std::sort(allowed_now.begin(), allowed_now.end());
  const std::vector<int> allowed_then = allowed_in(file.campaign);
  require(allowed_then == allowed_now, file.path, "with the allowed PUs", as_ranges(allowed_then),
          as_ranges(allowed_now));
  for (const auto& [backend, gpu] : now.gpus) {
    const json::json_pointer where{"/gpus/" + backend};
    if (file.campaign.contains(where))
      require(text_at(file.campaign, where) == gpu, file.path, "on the GPU",
              text_at(file.campaign, where), gpu);
  }
  for (const json& worker : file.workers) {
    const std::string name = text_at(worker, "/worker"_json_pointer);
    const auto build = now.builds.find({name, text_in(worker, "arm")});
    if (build == now.builds.end()) continue;
    const std::string then = text_at(worker, "/build/id"_json_pointer);
    require(then == build->second, file.path, fmt::format("by syncmeter-{} of build", name), then,
            build->second);
  }
}

std::string cut_torn_tail(results_writer& writer, results_file& file) {
  std::string note;
  if (file.compressed) {
    if (file.torn) note = fmt::format("'{}': removed an incomplete last line", writer.path());
    // Nothing can be appended to a frame that has no end.
    if (file.torn || file.open_frame)
      writer.rewrite(text_of_file(writer.path()).text.substr(0, file.whole_bytes));
    file.torn = file.open_frame = false;
    return note;
  }
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(writer.path(), error);
  if (!error && file.whole_bytes < size) {
    note = fmt::format("'{}': removed an incomplete last line of {} bytes", writer.path(),
                       size - file.whole_bytes);
    writer.cut_after(file.whole_bytes);
    file.torn = false;
  }
  return note;
}

results_file reopen(results_writer& writer, const campaign_identity& now, std::string& note) {
  results_file file = read_results(writer.path());
  require_same_identity(file, now);
  note = cut_torn_tail(writer, file);
  return file;
}

}  // namespace syncmeter
