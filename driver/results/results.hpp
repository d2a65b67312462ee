// A results file read back, for `show`, the summary, `--csv` and `--resume`.
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
/// "options":{..},"machine":{..}, ...}, and its last line is
/// {"kind":"end","wall_s":..,"timed_s":..,"interrupted":..}. A reader accepts any minor number with
/// its own major number.
inline constexpr int schema_major = 1;
inline constexpr int schema_minor = 1;

/// A `same` line: {"kind":"same","point":{..},"measured_as":{..},"why":".."}.
struct same_point {
  point what, measured_as;
  std::string why;
};
/// A `refused` line: {"kind":"refused","point":{..},"status":"unsupported","reason":".."}.
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
  std::vector<point> estimated;         ///< from the `point` lines after the last visit
  nlohmann::json end;                   ///< the last `end` line; null for an interrupted campaign
  std::uint64_t whole_bytes = 0;        ///< bytes of text up to the end of the last whole line
  std::vector<std::string> left_out{};  ///< unusable lines: "line 12: .."
  bool torn = false;                    ///< a last line without an end, or not JSON
  bool compressed = false;              ///< as Zstandard
  bool open_frame = false;              ///< compressed, but without its end
};

/// The readable text of a file, and whether the file is compressed.
struct file_text {
  std::string text;
  bool compressed = false, open_frame = false;
};
/// Throws usage_error if the file is not readable or its compression is damaged.
[[nodiscard]] file_text text_of_file(const std::string& path);

/// Reads a file, compressed or not. Throws usage_error if the file is not readable or empty, for no
/// or a second campaign line, and for another major schema. Also throws, with the line number, for
/// a line before the last that is not JSON. Reports and leaves out a visit that cannot be used.
[[nodiscard]] results_file read_results(const std::string& path);
/// Does the same for bytes read before. Messages name `path`.
[[nodiscard]] results_file results_in(const std::string& path, std::string bytes);

/// Returns a number in a line, or `otherwise` if absent. Infinite bounds are null in JSON.
[[nodiscard]] double number_or(const nlohmann::json& object, const char* member, double otherwise);

/// Returns a text in a line, or an empty string if absent.
[[nodiscard]] std::string text_in(const nlohmann::json& object, const char* member);

/// Build ids of workers, by backend (or worker name) and arm.
using build_ids = std::map<std::pair<std::string, std::string>, std::string>;
/// Returns the build id of the worker that measures a point, or an empty string if unknown.
[[nodiscard]] std::string build_of(const build_ids& builds, const point& what);

/// Returns "OP|...|build|", a visit line's key for --resume without the visit's number at the end.
[[nodiscard]] std::string visits_key(const point& what, const std::string& build_id);

}  // namespace syncmeter
