#include "core/worker/worker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <stdexcept>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/machine/environment.hpp"
#include "core/machine/read_file.hpp"
#include "core/worker/protocol.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

// Results leave by a descriptor of their own; what runtimes and devices print goes to standard
// error.
class result_stream {
 public:
  result_stream() : fd_{::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)} {
    if (fd_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
      throw std::runtime_error("standard output cannot be redirected");
    }
  }
  ~result_stream() { ::close(fd_); }
  result_stream(const result_stream&) = delete;
  result_stream& operator=(const result_stream&) = delete;

  void write(const json& object) const {
    const std::string line = object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
    int interruptions = 0;
    for (std::size_t done = 0; done < line.size();) {
      const auto n = ::write(fd_, line.data() + done, line.size() - done);
      if (n < 0 && errno == EINTR && ++interruptions < most_interruptions) continue;
      if (n <= 0) throw std::runtime_error("the driver no longer reads results");
      done += static_cast<std::size_t>(n);
    }
  }

 private:
  int fd_;
};

std::string utc_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

class request_loop {
 public:
  request_loop(const worker_identity& who, const std::vector<worker_backend*>& backends,
               const result_stream& out)
      : who_{who}, backends_{backends}, out_{out} {}

  // One request. Throws only when the driver is gone.
  void answer(const std::string& line) {
    json id;
    try {
      const json request = read_json(line);
      if (!request.is_object())
        throw std::invalid_argument(
            fmt::format("the request is not a JSON object of at most {} levels", deepest_json));
      id = request.value("id", json());
      const auto kind = request.at("kind").get<std::string>();
      if (kind == "hello") return hello(id);
      if (kind == "probe") return probe(id, request);
      if (kind == "measure") return measure(id, read_measure_request(request, tick_ns_));
      throw std::invalid_argument(
          fmt::format("\"kind\" is \"{}\"; allowed: hello, probe, measure", kind));
    } catch (const std::exception& e) {
      out_.write({{"kind", "error"}, {"id", id}, {"text", e.what()}});
    }
  }

  // After an error that this process does not outlive.
  [[nodiscard]] bool ends() const { return ends_; }

 private:
  void hello(const json& id) const {
    json runtimes = json::object();
    for (const auto* backend : backends_) runtimes[backend->name()] = backend->runtime();
    json environment = json::object();
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text{*entry};
      for (const std::string_view prefix : {"OMP_", "GOMP_", "KMP_", "CUDA_", "KOKKOS_"}) {
        if (text.starts_with(prefix))
          environment[std::string{text.substr(0, text.find('='))}] =
              text.substr(text.find('=') + 1);
      }
    }
    out_.write({{"kind", "worker"},
                {"id", id},
                {"pid", ::getpid()},
                {"worker", who_.name},
                {"protocol", protocol_version},
                {"protocol_minor", protocol_minor},
                {"build", build_json(who_, backends_)},
                {"runtime", runtimes},
                {"environment", environment}});
  }

  void probe(const json& id, const json& request) {
    const auto pus = requested_pus(request.at("pus"));
    const auto hops = backends_.front()->probe(pus, request.value("seconds", 0.5));
    out_.write(
        {{"kind", "probe"}, {"id", id}, {"hop_ns", hops}, {"bounds_ns", class_bounds(hops)}});
  }

  void measure(const json& id, const measure_request& request) {
    auto* backend = find_backend(request.where.backend);
    const auto* row = backend == nullptr ? nullptr : find_row(*backend, request.where);
    // Calibration and set-up come on top of the visit's own time.
    const double set_up_ns = row == nullptr ? 0 : backend->set_up_ns(*row, request.where);
    out_.write({{"kind", "accepted"},
                {"id", id},
                {"predicted_ns", 2 * request.options.max_time_ns + 50e6 + set_up_ns}});
    json visit{{"kind", "visit"},         {"id", id},
               {"point", request.where},  {"visit", request.lanes.visit},
               {"time", utc_now()},       {"seed", request.options.seed},
               {"pus", request.lanes.pus}};
    visit_result result;
    if (row == nullptr) {
      result.status = status::unsupported;
      result.reason =
          backend == nullptr
              ? fmt::format("this worker has no backend '{}'", request.where.backend)
              : fmt::format("backend '{}' has no such operation, type, order and placement",
                            request.where.backend);
      visit.update(to_visit_json(result, op_info{}));
    } else {
      const auto stolen_before = stolen_ns(request.lanes.pus);
      result = measure_row(*backend, *row, request);
      visit.update(to_visit_json(result, row->info));
      visit["participants"] = backend->participants(*row, request.where);
      visit["stolen_ns"] = stolen_ns(request.lanes.pus) - stolen_before;
      backend->describe_visit(visit);
      ends_ = backend->lost();
      if (ends_) visit["worker_ends"] = true;
    }
    out_.write(visit);
  }

  visit_result measure_row(worker_backend& backend, const measurable& row,
                           const measure_request& request) const {
    visit_result result;
    const auto refuse = [&](status s, std::string reason) {
      result.status = s;
      result.reason = std::move(reason);
      return result;
    };
    if (!row.unsupported.empty()) return refuse(status::unsupported, std::string{row.unsupported});
    // A team that lane 0 starts is of all lanes.
    const unsigned lanes =
        row.info.starts_team ? request.where.lanes : backend.participants(row, request.where);
    if (lanes < row.info.min_lanes) {
      return refuse(status::unsupported,
                    fmt::format("needs at least {} threads", row.info.min_lanes));
    }
    if (is_elided(row)) {
      return refuse(status::elided,
                    "the compiler emits nothing for it: both loops are the same machine code");
    }
    visit_options options = request.options;
    if (const double tick_ns = backend.clock_tick_ns(request.where); tick_ns > 0)
      options.clock_tick_ns = tick_ns;
    try {
      auto& bench = backend.prepare(row, request.where, request.lanes);
      if (request.resumed) (void)bench.take(0, 1);
      const auto forbidden =
          request.lanes.visit == 1 && row.litmus != nullptr ? backend.litmus(row) : 0;
      if (forbidden != 0) {
        result = refuse(
            status::failed,
            fmt::format("litmus: an outcome that this operation must prevent was seen {} times",
                        forbidden));
      } else {
        result = measure_visit(bench, row.info, lanes, options);
      }
    } catch (const point_refused& e) {
      result = refuse(status::unsupported, e.what());
    } catch (const std::exception& e) {
      result = refuse(status::failed, e.what());
    }
    backend.finish();
    return result;
  }

  [[nodiscard]] worker_backend* find_backend(std::string_view name) const {
    for (auto* backend : backends_) {
      if (backend->name() == name) return backend;
    }
    return nullptr;
  }

  [[nodiscard]] static const measurable* find_row(const worker_backend& backend,
                                                  const point& where) {
    for (const auto& row : backend.rows()) {
      if (row.info.name == where.op && row.type == where.type && serves(row.form, form_of(where))) {
        return &row;
      }
    }
    return nullptr;
  }

  const worker_identity& who_;
  const std::vector<worker_backend*>& backends_;
  const result_stream& out_;
  double tick_ns_ = clock_tick_ns();
  bool ends_ = false;
};

}  // namespace

nlohmann::json worker_backend::device() const { return nullptr; }

int worker_main(const worker_identity& who, worker_backends (*make)(), int argc, char** argv) {
  try {
    const worker_backends backends = make();
    const result_stream out;
    if (argc == 2 && std::string_view{argv[1]} == "--capabilities") {
      out.write(capabilities_json(who, backends.all));
      return 0;
    }
    if (argc != 1) {
      std::cerr << fmt::format("syncmeter-{}: unknown argument '{}'; allowed: --capabilities, or "
                               "none with requests on standard input "
                               "(docs/reference/worker-protocol.md)\n",
                               who.name, argv[1]);
      return 2;
    }
    std::signal(SIGPIPE, SIG_IGN);
    request_loop requests{who, backends.all, out};
    for (std::string line; !requests.ends() && std::getline(std::cin, line);) {
      if (!line.empty()) requests.answer(line);
    }
    return 0;
  } catch (const std::exception& e) {
    std::cerr << fmt::format("syncmeter-{}: {}\n", who.name, e.what());
    return 1;
  }
}

}  // namespace syncmeter
