// A results file read back: what `show`, the summary, `--csv` and `--resume` see.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/harness/harness.hpp"
#include "core/point.hpp"
#include "driver/workers/visit_record.hpp"

namespace syncmeter {

/// A file's first line is {"kind":"campaign","schema":{"major":1,"minor":0},"argv":[..],
/// "options":{..},"machine":{..}, ...}; its last one
/// {"kind":"end","wall_s":..,"timed_s":..,"interrupted":..}. A reader takes any minor number of its
/// own major one.
inline constexpr int schema_major = 1;
inline constexpr int schema_minor = 1;

/// Of a `same` line: {"kind":"same","point":{..},"measured_as":{..},"why":".."}.
struct same_point {
  point what, measured_as;
  std::string why;
};
/// Of a `refused` line: {"kind":"refused","point":{..},"status":"unsupported","reason":".."}.
struct unmeasured_point {
  point what;
  enum status status = status::unsupported;
  std::string reason;
};

struct results_file {
  std::string path;
  nlohmann::json campaign;  ///< its `campaign` line
  std::vector<nlohmann::json> workers;
  std::vector<visit_record> visits;  ///< in file order
  std::vector<same_point> same;
  std::vector<unmeasured_point> refused;
  std::vector<point> estimated;         ///< of the `point` lines behind the last visit
  nlohmann::json end;                   ///< the last `end` line; null when the campaign was cut off
  std::uint64_t whole_bytes = 0;        ///< bytes of text up to the end of the last whole line
  std::vector<std::string> left_out{};  ///< lines that cannot be used: "line 12: .."
  bool torn = false;                    ///< a last line without an end, or not JSON
  bool compressed = false;              ///< as Zstandard
  bool open_frame = false;              ///< compressed, and cut off before its end
};

/// The text of a file, and whether it is compressed: all that can be unpacked of it.
struct file_text {
  std::string text;
  bool compressed = false, open_frame = false;
};
/// Throws usage_error: not readable, or its compression is damaged.
[[nodiscard]] file_text text_of_file(const std::string& path);

/// Reads a file, compressed or not. Throws usage_error: not readable, empty, no campaign line or a
/// second one, another schema major, a line (named by number) that is not JSON anywhere but at the
/// end. A visit that cannot be used is left out, and reported.
[[nodiscard]] results_file read_results(const std::string& path);
/// The same of bytes that somebody has read already; `path` is what messages call them.
[[nodiscard]] results_file results_in(const std::string& path, std::string bytes);

/// A number in a line; `otherwise` where there is none. Infinite bounds are null in JSON.
[[nodiscard]] double number_or(const nlohmann::json& object, const char* member, double otherwise);

/// A text in a line; empty where there is none.
[[nodiscard]] std::string text_in(const nlohmann::json& object, const char* member);

/// Build ids of workers, by backend (or name of the worker) and arm.
using build_ids = std::map<std::pair<std::string, std::string>, std::string>;
/// Of the worker that measures a point; empty where it is unknown.
[[nodiscard]] std::string build_of(const build_ids& builds, const point& what);

/// "OP|...|build|": the key of a visit line, for --resume, but for the visit's number behind it.
[[nodiscard]] std::string visits_key(const point& what, const std::string& build_id);

}  // namespace syncmeter
