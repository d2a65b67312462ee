// The driver's request for a visit, read by a worker and measured on a virtual clock: what this
// worker answers is what this driver takes.
#include <nlohmann/json.hpp>

#include "core/worker/protocol.hpp"
#include "driver/workers/visit_record.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/unit/harness/scripted_bench.hpp"

namespace syncmeter::fuzz {
namespace {

using nlohmann::json;

// As core/worker/worker.cpp answers, which has the bench of a backend.
void answer(const json& asked, const measure_request& request) {
  test::scripted_bench bench({.info = {.name = "scripted"},
                              .lanes = request.where.lanes,
                              .disturb = test::jitter(0.02, request.options.seed)});
  json visit{{"kind", "visit"}, {"point", request.where}, {"visit", request.lanes.visit}};
  visit.update(to_visit_json(bench.measure(request.options), {.name = "scripted"}));
  const json sent = read_json(visit.dump());
  promise(!sent.is_discarded(), "an answer is no JSON");
  const std::string flaw =
      flaw_in_answer(sent, {{"point", request.where}, {"visit", request.lanes.visit}});
  promise(flaw.empty(), "an answer that the driver refuses: " + flaw);
  promise(!asked.contains("visit") || asked.at("visit") == sent.at("visit"),
          "an answer for another visit");
}

}  // namespace

void requests(std::string_view input) {
  const json asked = read_json(input);
  if (!asked.is_object()) return;
  measure_request request;
  if (!ends_or_throws<std::exception>([&] { request = read_measure_request(asked, 25); })) return;
  promise(request.lanes.device >= 0 || request.lanes.pus.size() == request.where.lanes,
          "a lane without a PU");
  answer(asked, request);
}

}  // namespace syncmeter::fuzz
