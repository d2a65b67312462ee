#include "driver/workers/worker_info.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/worker/protocol.hpp"
#include "driver/workers/read_members.hpp"

namespace syncmeter {
namespace members {

static void read_value(const char* name, const json& object, gpu_device& record, bounds) {
  if (!object.is_object()) refuse(name, object, "a list of objects");
#define SM_MEMBER SM_READ_MEMBER
#include "record/gpu.def"
}

static void read_value(const char* name, const json& object, capability& record, bounds) {
  if (!object.is_object()) refuse(name, object, "a list of objects");
  try {
#define SM_MEMBER SM_READ_MEMBER
#include "record/op.def"
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("in the entry of op {}: {}",
                                            shown(object.value("op", json("?"))), error.what()));
  }
}

}  // namespace members

namespace {

using members::shown, nlohmann::json;

std::string text_of(const json& object, const char* name) {
  std::string text;
  members::read_value(name, members::require(object, name), text, {});
  return text;
}

void read_gpus(const json& object, gpu_backend& gpus) {
  members::require_object("device", object);
  members::read(object, "architectures", gpus.architectures);
  const json& devices = members::require(object, "devices");
  members::read_value("devices", devices, gpus.devices, {});
  for (gpu_device& gpu : gpus.devices) gpu.devices = static_cast<unsigned>(gpus.devices.size());
}

void read_backend(const json& backend, worker_info& info) {
  if (!backend.is_object()) members::refuse("backends", backend, "a list of objects");
  const std::string name = text_of(backend, "name");
  info.backends.push_back(name);
  try {
    bool pool = false, portable = false;
    members::read(backend, "pool", pool);
    members::read(backend, "portable", portable);
    if (pool) info.pooled.insert(name);
    if (portable) {
      info.native_of[name] = text_of(backend, "native_of");
      if (info.native_of[name].empty()) members::refuse("native_of", "", "the name of a backend");
    }
    if (backend.contains("device")) read_gpus(backend.at("device"), info.gpus[name]);
    std::string problem;
    members::read(backend, "problem", problem);
    const auto gpus = info.gpus.find(name);
    if (problem.empty() && gpus != info.gpus.end() && gpus->second.devices.empty())
      problem = "no device found";
    if (!problem.empty()) info.backend_problems[name] = problem;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(
        fmt::format("in the entry of backend {}: {}", quote(name), error.what()));
  }
}

void read_into(const json& line, worker_info& info) {
  if (text_of(line, "kind") != "capabilities")
    members::refuse("kind", line.at("kind"), "\"capabilities\"");
  if (const std::string flaw = flaw_in_protocol(line); !flaw.empty())
    throw std::invalid_argument(flaw);
  info.build = members::require(line, "build");
  members::require_object("build", info.build);
  (void)text_of(info.build, "id");
  const json& backends = members::require(line, "backends");
  if (!backends.is_array()) members::refuse("backends", backends, "a list");
  for (const json& backend : backends) read_backend(backend, info);
  members::read_value("ops", members::require(line, "ops"), info.capabilities, {});
}

using flaws = std::vector<std::string>;

std::string entry_of(const capability& entry) {
  std::string text = fmt::format("op {}", quote(entry.op));
  if (entry.type) text += fmt::format(", {}", to_text(*entry.type));
  if (entry.order != order::unordered) text += fmt::format(", {}", to_text(entry.order));
  return text;
}

void check_backends(const worker_info& info, flaws& found) {
  std::set<std::string> known;
  for (const std::string& name : info.backends) {
    if (!known.insert(name).second)
      found.push_back(fmt::format("backend {} is there twice", quote(name)));
    const auto native = info.native_of.find(name);
    if (native != info.native_of.end() && native->second == name)
      found.push_back(fmt::format("backend {} is portable and its own native one", quote(name)));
    const bool measures = std::any_of(
        info.capabilities.begin(), info.capabilities.end(),
        [&](const capability& entry) { return entry.backend == name && entry.supported; });
    if (!measures && !info.backend_problems.contains(name))
      found.push_back(
          fmt::format("backend {} supports no op, and no \"problem\" says why", quote(name)));
  }
}

void check_entry(const capability& entry, const worker_info& info, flaws& found) {
  const auto say = [&](const std::string& what) {
    found.push_back(fmt::format("{}: {}", entry_of(entry), what));
  };
  if (!contains(info.backends, entry.backend))
    say(fmt::format("its backend {} is not one of \"backends\"", quote(entry.backend)));
  if (!entry.supported) return;
  const bool has_cell = std::ranges::any_of(
      entry.placements, [](const placement where) { return where != placement::none; });
  if (has_cell && !entry.type && !info.gpus.contains(entry.backend))
    say("it has cells, and no \"type\" says of what");
  if (!entry.code.empty() && entry.code.size() != 2)
    say(fmt::format("\"code\" has {} hashes, not those of the baseline and the test loop",
                    entry.code.size()));
}

void check_entries(const worker_info& info, flaws& found) {
  std::set<std::tuple<std::string, std::string, std::string, std::string>> known;
  for (const capability& entry : info.capabilities) {
    check_entry(entry, info, found);
    // GPU entries have more axes than this comparison reads.
    if (info.gpus.contains(entry.backend)) continue;
    const std::string form = entry.type ? std::string(to_text(*entry.type)) : std::string{};
    const std::string axes =
        fmt::format("{} {} {} {} {} {}", to_text(entry.order), to_text(entry.scope),
                    to_text(entry.flavour), to_text(entry.space), entry.some_lanes, entry.size);
    std::vector<placement> placements = entry.placements;
    if (placements.empty()) placements.push_back(placement::none);
    for (const placement where : placements) {
      const std::string spot = fmt::format("{} {}", axes, to_text(where));
      if (!known.insert({entry.backend, entry.op, form, spot}).second)
        found.push_back(fmt::format("{}: it is there twice", entry_of(entry)));
    }
  }
}

}  // namespace

unsigned co_resident_blocks(const gpu_device& gpu, unsigned threads) {
  // Devices allocate threads in whole warps.
  const unsigned warps = (std::max(threads, 1U) + gpu.warp_size - 1) / gpu.warp_size;
  const unsigned by_threads = gpu.max_threads_per_multiprocessor / (warps * gpu.warp_size);
  return gpu.multiprocessors *
         std::max(1U, std::min(gpu.max_blocks_per_multiprocessor, by_threads));
}

unsigned warps_of(const point& p, unsigned warp_size) {
  return (p.lanes + warp_size - 1) / warp_size * p.blocks;
}

const gpu_backend* gpus_of(const std::vector<worker_info>& workers, const std::string& backend) {
  for (const worker_info& worker : workers) {
    const auto found = worker.gpus.find(backend);
    if (found != worker.gpus.end()) return &found->second;
  }
  return nullptr;
}

const gpu_device& chosen_gpu(const gpu_backend& gpus, const std::string& backend, unsigned index) {
  std::vector<std::string> names;
  for (const gpu_device& gpu : gpus.devices) {
    if (gpu.index == index) return gpu;
    names.push_back(fmt::format("{} ({})", gpu.index, gpu.name));
  }
  throw usage_error(fmt::format("--device: backend '{}' has no device {}; available: {}", backend,
                                index, names.empty() ? "none" : join(names)));
}

std::string problem_of(const worker_info& worker, const std::string& backend) {
  if (!worker.problem.empty()) return worker.problem;
  const auto found = worker.backend_problems.find(backend);
  return found == worker.backend_problems.end() ? std::string{} : found->second;
}

unsigned gpus_taking_part(const point& what) {
  if (what.op.starts_with("multi_gpu_") || what.op == "gpu_handoff") return std::max(what.size, 1U);
  return what.op.starts_with("remote_") && what.home == home::second ? 2 : 1;
}

std::vector<std::string> left_out(const std::vector<worker_info>& workers) {
  std::vector<std::string> sentences;
  for (const worker_info& worker : workers)
    for (const auto& [backend, problem] : worker.backend_problems)
      sentences.push_back(fmt::format("backend '{}' is left out: {}", backend, problem));
  return sentences;
}

void worker_info::take_away(const std::string& backend) {
  std::erase(backends, backend);
  std::erase_if(capabilities, [&](const capability& row) { return row.backend == backend; });
  pooled.erase(backend);
  native_of.erase(backend);
  gpus.erase(backend);
  backend_problems.erase(backend);
}

std::string native_of(const std::vector<worker_info>& workers, const std::string& backend) {
  for (const worker_info& worker : workers) {
    const auto found = worker.native_of.find(backend);
    if (found != worker.native_of.end()) return found->second;
  }
  return {};
}

bool is_portable(const std::vector<worker_info>& workers, const std::string& backend) {
  return !native_of(workers, backend).empty();
}

std::string flaw_in_protocol(const json& line) {
  const auto major = line.find("protocol");
  if (major == line.end()) return "\"protocol\" is missing";
  if (*major != protocol_version)
    return fmt::format("it has protocol {}, this driver has {}.{}: build both of one version",
                       major->dump(-1, ' ', true), protocol_version, protocol_minor);
  const auto minor = line.find("protocol_minor");
  if (minor == line.end() || minor->is_number_unsigned()) return {};
  return fmt::format("\"protocol_minor\" is {}, not a whole number from 0", shown(*minor));
}

void read_capabilities(const json& line, worker_info& info) {
  worker_info found = info;
  try {
    read_into(line, found);
    info = std::move(found);
  } catch (const std::exception& error) {
    info.build = std::move(found.build);
    info.problem = fmt::format("invalid capabilities: {}", error.what());
  }
}

std::vector<std::string> capability_flaws(const json& line, const worker_info& info) {
  flaws found;
  const json name = line.value("worker", json());
  if (name != info.name)
    found.push_back(
        fmt::format("\"worker\" is {}, but the program is syncmeter-{}", shown(name), info.name));
  check_backends(info, found);
  check_entries(info, found);
  return found;
}

}  // namespace syncmeter
