#include "driver/workers/worker_manners.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/text/quote.hpp"
#include "driver/workers/visit_record.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

std::string as_text(const json& line, const char* member) {
  return quote(line.value(member, json()).dump(-1, ' ', true));
}

class manners {
 public:
  manners(const worker_to_try& what)
      : deadlines_(what.deadlines),
        worker_(what.name, program_to_start{.path = what.path}, what.deadlines) {}

  std::vector<std::string> flaws(const json& request) {
    if (takes_nonsense(request)) {
      goes_on_after_a_stop();
      if (const std::string problem = worker_.leave(); !problem.empty()) fault("end", problem);
    }
    return std::move(flaws_);
  }

 private:
  void fault(const std::string& part, const std::string& what) {
    flaws_.push_back(fmt::format("{}: {}", part, what));
  }
  std::optional<json> answered(const std::string& part) {
    answer reply = worker_.receive(deadlines_.accepted);
    if (reply.what == answer::kind::line) return std::move(reply.object);
    fault(part, reply.text);
    return std::nullopt;
  }

  // After a fault it is not known what else the worker sends.
  bool takes_nonsense(json request) {
    if (!refused("a line that is no object", json(7)) ||
        !refused("a request of an unknown kind", {{"kind", "celebrate"}, {"id", 2}}))
      return false;
    if (request.is_null()) return true;
    request["kind"] = "measure";
    request["resumed"] = false;
    request["id"] = 3;
    if (!request.contains("device")) {
      json more_pus = request;
      more_pus["pus"].push_back(request.at("pus").at(0));
      if (!refused("more \"pus\" than lanes", more_pus)) return false;
    }
    request["id"] = 4;
    request["point"]["op"] = "no_such_op";
    return is_unsupported("a point that it does not have", request);
  }

  bool refused(const std::string& part, const json& request) {
    worker_.send(request);
    const std::optional<json> reply = answered(part);
    if (!reply) return false;
    if (reply->value("kind", json()) != "error") {
      fault(part, fmt::format("it answered {}, not \"error\"", as_text(*reply, "kind")));
      return false;
    }
    const bool has_text = reply->value("text", json()).is_string();
    if (!has_text) fault(part, "its error has no \"text\"");
    const bool has_id = !request.is_object() || reply->value("id", json()) == request.at("id");
    if (!has_id)
      fault(part, fmt::format("its error has the id {}, not the request's", as_text(*reply, "id")));
    return has_text && has_id;
  }

  bool is_unsupported(const std::string& part, const json& request) {
    worker_.send(request);
    std::optional<json> reply = answered(part);
    if (reply && reply->value("kind", json()) == "accepted") reply = answered(part);
    if (!reply) return false;
    if (reply->value("kind", json()) == "error") return true;
    const json status = reply->value("status", json());
    if (const std::string flaw = flaw_in_visit(*reply); !flaw.empty()) fault(part, flaw);
    else if (status != "unsupported" && status != "failed")
      fault(part, fmt::format("its status is {}, not \"unsupported\"", status.dump(-1, ' ', true)));
    else return true;
    return false;
  }

  void goes_on_after_a_stop() {
    const std::string part = "hello after SIGSTOP and SIGCONT";
    worker_.stop();
    worker_.resume();
    worker_.send({{"kind", "hello"}, {"id", 5}});
    const std::optional<json> reply = answered(part);
    if (reply && reply->value("id", json()) != 5)
      fault(part, fmt::format("it answered with the id {}", as_text(*reply, "id")));
  }

  worker_deadlines deadlines_;
  worker_process worker_;
  std::vector<std::string> flaws_;
};

}  // namespace

std::vector<std::string> flawed_manners(const worker_to_try& what, const json& request) {
  try {
    return manners(what).flaws(request);
  } catch (const std::exception& error) {
    return {fmt::format("start: {}", error.what())};
  }
}

}  // namespace syncmeter
