// What a worker writes in answer to a request for a visit: cut into lines, read, and checked. A
// visit that the driver keeps must be one that its own reader takes back from the results file.
#include <nlohmann/json.hpp>

#include "core/worker/protocol.hpp"
#include "driver/results/campaign_lines.hpp"
#include "driver/results/estimate.hpp"
#include "driver/show/table.hpp"
#include "driver/text/line_reader.hpp"
#include "driver/workers/visit_record.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace syncmeter::fuzz {
namespace {

using nlohmann::json;

// The request that it would be the answer to.
json request_of(const json& answer) {
  json request{{"point", {{"backend", "omp"}, {"op", "barrier"}}}, {"visit", 1}};
  if (flaw_in_visit(answer).empty()) request["point"] = answer.at("point");
  if (answer.contains("visit")) request["visit"] = answer.at("visit");
  return request;
}

void keep(json answer) {
  const json kept = answer;
  for (const bool keep_rounds : {false, true}) {
    answer = kept;
    answer["kind"] = "visit";
    make_lean(answer, read_visit(answer), keep_rounds);
    const std::string text =
        json{{"kind", "campaign"}, {"schema", {{"major", schema_major}}}}.dump() + "\n" +
        answer.dump() + "\n";
    const results_file file = results_in("it", text);
    promise(file.left_out.empty(), "a visit that was kept cannot be used");
    promise(summarize(file).size() == 1, "a visit that was kept is not shown");
    (void)to_csv(summarize(file));
  }
}

}  // namespace

void answers(std::string_view input) {
  const memory_file pipe(input);
  line_reader reader;
  std::string read;
  while (reader.read_from(pipe.fd()) == read_outcome::some) {
    while (const auto line = reader.next()) {
      read += *line + "\n";
      const json answer = read_json(*line);
      if (!answer.is_object()) continue;
      if (flaw_in_answer(answer, request_of(answer)).empty()) keep(answer);
    }
  }
  promise(read + std::string(reader.waiting()) == input, "lines are not what was written");
}

}  // namespace syncmeter::fuzz
