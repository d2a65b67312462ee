// Reads a results file line by line. Only the last line may be broken: a campaign that was killed
// leaves it torn, and everything before it is whole.
#include "driver/results/results.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/plan/options.hpp"
#include "driver/results/zstd_text.hpp"

namespace syncmeter {
namespace {

std::string all_bytes(const std::string& path) {
  const auto refuse = [&path](const char* why) {
    return usage_error(fmt::format("{}: cannot be read: {}", path, why));
  };
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) throw refuse(std::strerror(errno));
  try {
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  } catch (const std::ios_base::failure&) {  // a directory opens, and throws when it is read
    throw refuse(std::strerror(errno != 0 ? errno : EIO));
  }
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

// What summarize() relies on; anything else in a visit may be missing.
void check_point(const std::string& path, std::size_t number, const nlohmann::json& line,
                 const char* member) {
  try {
    (void)line.at(member).get<point>();
  } catch (const std::exception& error) {
    refuse_line(path, number, fmt::format("invalid '{}': {}", member, error.what()));
  }
}

void take_line(results_file& file, std::size_t number, nlohmann::json&& line) {
  const auto named = line.is_object() ? line.find("kind") : line.end();
  const std::string kind =
      named != line.end() && named->is_string() ? named->get<std::string>() : "";
  if (number == 1) {
    if (kind != "campaign")
      refuse_line(file.path, 1, "not a results file: the first line is not a campaign line");
    check_schema(file.path, line);
    file.campaign = std::move(line);
  } else if (kind == "worker") {
    file.workers.push_back(std::move(line));
  } else if (kind == "visit") {
    check_point(file.path, number, line, "point");
    const auto text = line.find("status");
    if (text == line.end() || !text->is_string() || !status_from_text(text->get<std::string>())) {
      refuse_line(file.path, number, "a visit without a known status");
    }
    file.visits.push_back(std::move(line));
  } else if (kind == "same") {
    check_point(file.path, number, line, "point");
    check_point(file.path, number, line, "measured_as");
    file.same.push_back(std::move(line));
  } else if (kind == "refused") {
    check_point(file.path, number, line, "point");
    file.refused.push_back(std::move(line));
  } else if (kind == "end") {
    file.end = std::move(line);
  }
  // Other kinds belong to a newer minor schema.
}

}  // namespace

file_text text_of_file(const std::string& path) {
  std::string bytes = all_bytes(path);
  if (!begins_zstd(bytes)) return {.text = std::move(bytes)};
  try {
    unpacked_text found = unpacked(bytes);
    return {.text = std::move(found.text), .compressed = true, .open_frame = !found.ended};
  } catch (const std::runtime_error& error) {
    throw usage_error(fmt::format("{}: damaged: {}", path, error.what()));
  }
}

results_file read_results(const std::string& path) {
  const auto [text, compressed, open_frame] = text_of_file(path);
  if (text.empty()) throw usage_error(fmt::format("{}: the file is empty", path));
  results_file file;
  file.path = path;
  file.compressed = compressed;
  file.open_frame = open_frame;
  std::size_t at = 0;
  for (std::size_t number = 1; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    const bool whole = end != std::string::npos;
    const bool last = !whole || end + 1 == text.size();
    nlohmann::json line = nlohmann::json::parse(
        text.begin() + static_cast<std::ptrdiff_t>(at),
        whole ? text.begin() + static_cast<std::ptrdiff_t>(end) : text.end(), nullptr, false);
    // A last line without its end may be cut in the middle of a number and still read as JSON.
    if (!whole || line.is_discarded()) {
      if (!last) refuse_line(path, number, "not JSON");
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

std::string visits_key(const point& what, const std::string& build_id) {
  return fmt::format("{}|{}|", canonical(what), build_id);
}

}  // namespace syncmeter
