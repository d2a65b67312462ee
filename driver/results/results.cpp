// Reads a results file line by line. Only the last line may be torn, by the end of a killed
// campaign.
#include "driver/results/results.hpp"

#include <array>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/machine/read_file.hpp"
#include "core/worker/protocol.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/zstd_text.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

std::string without_arm(const std::string& name) { return name.substr(0, name.rfind('@')); }

// Updates point and build in a visit's key. They precede the visit's number.
void renew_key(json& line) {
  const std::string key = text_in(line, "key");
  if (key.empty()) return;
  try {
    line["key"] = visits_key(line.at("point").get<point>(), text_in(line, "build")) +
                  key.substr(key.rfind('|') + 1);
  } catch (const std::exception&) {  // the line's reader reports an invalid point
  }
}

json* object_in(json& from, const char* member) {
  const auto found = from.find(member);
  return found != from.end() && found->is_object() ? &*found : nullptr;
}

/// Updates old files of `syncmeter ab`, from before the arm was an axis of the point. Their lines
/// name an arm's backend "omp@old". The backend becomes "omp", the point's arm "old", and the
/// visit's key changes accordingly. A new line stays unchanged.
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

/// Groups a campaign line's plan counts and GPUs by plain backend.
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

// A line with raw rounds has a few MiB. An endless line is not a results file.
constexpr std::size_t longest_line = std::size_t{64} << 20U;

std::string all_bytes(const std::string& path) {
  file_bytes found = read_file(path);
  if (found.error != 0)
    throw usage_error(fmt::format("{}: cannot be read: {}", path, std::strerror(found.error)));
  return std::move(found.bytes);
}

[[noreturn]] void refuse_line(const std::string& path, std::size_t number,
                              const std::string& what) {
  throw usage_error(fmt::format("{}: line {}: {}", path, number, what));
}

void check_schema(const std::string& path, const nlohmann::json& campaign) {
  const nlohmann::json::json_pointer member("/schema/major");
  if (!campaign.contains(member)) refuse_line(path, 1, "the campaign line has no schema");
  if (const auto& major = campaign.at(member); major != schema_major) {
    refuse_line(
        path, 1,
        fmt::format("schema {} is not supported, only schema {}", major.dump(), schema_major));
  }
}

point point_in(const nlohmann::json& line, const char* member) {
  try {
    return line.at(member).get<point>();
  } catch (const std::exception& error) {
    throw std::invalid_argument(fmt::format("invalid '{}': {}", member, error.what()));
  }
}

// Reports an unusable line and continues with the next.
template <class Read> void read_or_leave_out(results_file& file, std::size_t number, Read read) {
  try {
    read();
  } catch (const std::invalid_argument& flaw) {
    file.left_out.push_back(fmt::format("line {}: {}", number, flaw.what()));
  }
}

visit_record visit_in(const nlohmann::json& line) {
  try {
    return read_visit(line);
  } catch (const std::invalid_argument& flaw) {
    throw std::invalid_argument(fmt::format("a repetition that cannot be used: {}", flaw.what()));
  }
}

unmeasured_point refused_in(const nlohmann::json& line) {
  return {.what = point_in(line, "point"),
          .status = from_text<status>(text_in(line, "status")).value_or(status::unsupported),
          .reason = text_in(line, "reason")};
}

void take_line(results_file& file, std::size_t number, nlohmann::json&& line) {
  const std::string kind = line.is_object() ? text_in(line, "kind") : "";
  if (number > 1 && !kind.empty() && file.campaign.contains("ab")) split_arms(line);
  if (number == 1) {
    if (line.is_object() && text_in(line, "record") == "advise")
      refuse_line(file.path, 1, "a file of syncmeter advise; syncmeter-report advise shows it");
    if (kind != "campaign")
      refuse_line(file.path, 1, "not a results file: the first line is not a campaign line");
    check_schema(file.path, line);
    if (line.contains("ab")) split_arms_of_plan(line);
    file.campaign = std::move(line);
  } else if (kind == "campaign") {
    refuse_line(file.path, number,
                "a second run begins here: two results files stand in one; cut it into two "
                "before this line");
  } else if (kind == "worker") {
    file.workers.push_back(std::move(line));
  } else if (kind == "visit") {
    file.estimated.clear();  // estimates before this visit are stale
    read_or_leave_out(file, number, [&] { file.visits.push_back(visit_in(line)); });
  } else if (kind == "same") {
    read_or_leave_out(file, number, [&] {
      file.same.push_back({.what = point_in(line, "point"),
                           .measured_as = point_in(line, "measured_as"),
                           .why = text_in(line, "why")});
    });
  } else if (kind == "refused") {
    read_or_leave_out(file, number, [&] { file.refused.push_back(refused_in(line)); });
  } else if (kind == "point") {
    read_or_leave_out(file, number, [&] { file.estimated.push_back(read_point(line).point); });
  } else if (kind == "end") {
    file.end = std::move(line);
  }
  // Other kinds belong to a newer minor schema.
}

// Compression formats of other programs, by their first bytes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> other_packers{
    {{{"\xfd"
       "7zXZ"},
      "xz"},
     {"\x1f\x8b", "gzip"},
     {"BZh", "bzip2"}}};

file_text text_of_bytes(const std::string& path, std::string bytes) {
  for (const auto& [magic, name] : other_packers) {
    if (!bytes.starts_with(magic)) continue;
    throw usage_error(
        fmt::format("{}: compressed by {}, which this program does not read: unpack it "
                    "first ({} -d), or read it with syncmeter text",
                    path, name, name));
  }
  if (!begins_zstd(bytes)) return {.text = std::move(bytes)};
  try {
    unpacked_text found = unpacked(bytes);
    return {.text = std::move(found.text), .compressed = true, .open_frame = !found.ended};
  } catch (const std::runtime_error& error) {
    throw usage_error(fmt::format("{}: damaged: {}", path, error.what()));
  }
}

}  // namespace

file_text text_of_file(const std::string& path) { return text_of_bytes(path, all_bytes(path)); }

results_file read_results(const std::string& path) { return results_in(path, all_bytes(path)); }

results_file results_in(const std::string& path, std::string bytes) {
  const auto [text, compressed, open_frame] = text_of_bytes(path, std::move(bytes));
  if (text.empty())
    throw usage_error(fmt::format(
        "{}: the file is empty: no run had begun in it; name it with --output to begin one", path));
  results_file file;
  file.path = path;
  file.compressed = compressed;
  file.open_frame = open_frame;
  std::size_t at = 0;
  for (std::size_t number = 1; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    const bool whole = end != std::string::npos;
    const bool last = !whole || end + 1 == text.size();
    if ((whole ? end : text.size()) - at > longest_line)
      refuse_line(path, number, fmt::format("longer than {} MiB", longest_line >> 20U));
    nlohmann::json line = read_json(std::string_view(text).substr(at, whole ? end - at : end));
    // A last line without its end may be cut in the middle of a number and still be valid JSON.
    if (!whole || line.is_discarded()) {
      if (!last)
        refuse_line(path, number, fmt::format("not JSON of at most {} levels", deepest_json));
      if (number == 1)
        refuse_line(path, 1, "not a results file: the first line is not a campaign line");
      file.torn = true;
      break;
    }
    take_line(file, number, std::move(line));
    at = end + 1;
    file.whole_bytes = at;
  }
  return file;
}

double number_or(const nlohmann::json& object, const char* member, double otherwise) {
  const auto found = object.find(member);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::string text_in(const nlohmann::json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::string build_of(const build_ids& builds, const point& what) {
  const auto found = builds.find({what.backend, what.arm});
  return found == builds.end() ? "" : found->second;
}

std::string visits_key(const point& what, const std::string& build_id) {
  return fmt::format("{}|{}|", canonical(what), build_id);
}

}  // namespace syncmeter
