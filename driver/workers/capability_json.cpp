#include "driver/workers/capability_json.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/worker/protocol.hpp"
#include "driver/text/messages.hpp"
#include "driver/text/parse_axes.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

[[noreturn]] void reject(std::string_view member, const json& found, std::string_view wanted) {
  throw std::invalid_argument(
      fmt::format("\"{}\" is {}, not {}", member, quote(found.dump(-1, ' ', true)), wanted));
}

const json& member_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw std::invalid_argument(fmt::format("\"{}\" is missing", name));
  return *found;
}

// Each kind of member is read by the type of its field.

void read(const json& value, const char* name, std::string& field) {
  if (!value.is_string()) reject(name, value, "a text");
  field = value.get<std::string>();
}

void read(const json& value, const char* name, bool& field) {
  if (!value.is_boolean()) reject(name, value, "true or false");
  field = value.get<bool>();
}

void read(const json& value, const char* name, unsigned& field) {
  if (!value.is_number_integer() || value < 1 || value > 1'000'000)
    reject(name, value, "a number from 1 to 1000000");
  field = value.get<unsigned>();
}

template <axis_value Enum> void read(const json& value, const char* name, Enum& field) {
  std::string text;
  read(value, name, text);
  const auto known = from_text<Enum>(text);
  if (!known) reject(name, value, "one of " + join(names_allowed<Enum>()));
  field = *known;
}

void read(const json& value, const char* name, std::optional<value_type>& field) {
  read(value, name, field.emplace());
}

void read(const json& list, const char* name, std::vector<std::string>& field) {
  const auto is_text = [](const json& text) { return text.is_string(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_text))
    reject(name, list, "a list of texts");
  field = list.get<std::vector<std::string>>();
}

void read(const json& list, const char* name, std::vector<placement>& field) {
  std::vector<std::string> texts;
  read(list, name, texts);
  for (const std::string& text : texts) read(json(text), name, field.emplace_back());
}

void read(const json& object, const char* name, objects::declares& field) {
  const auto is_text = [](const json& text) { return text.is_string(); };
  if (!object.is_object() || !std::ranges::all_of(object, is_text))
    reject(name, object, "an object of texts");
  field = object.get<objects::declares>();
}

template <class Field> void read_if_there(const json& object, const char* name, Field& field) {
  if (object.contains(name)) read(object.at(name), name, field);
}

std::string text_of(const json& object, const char* name) {
  std::string text;
  read(member_of(object, name), name, text);
  return text;
}

/// One entry of "ops". Throws std::invalid_argument that names the entry, the member and what it
/// holds.
capability read_entry(const json& entry) {
  if (!entry.is_object()) reject("ops", entry, "a list of objects");
  try {
    capability op;
#define SM_MEMBER(name, kind, absent, ...)                                                         \
  if (std::string_view(#absent) == "required") (void)member_of(entry, #name);                      \
  read_if_there(entry, #name, op.name);
#include "record/op.def"
    return op;
  } catch (const std::invalid_argument& error) {
    const std::string op = entry.value("op", json("?")).dump(-1, ' ', true);
    throw std::invalid_argument(fmt::format("in the entry of op {}: {}", quote(op), error.what()));
  }
}

std::uint64_t bytes_of(const json& object, const char* name) {
  const json& value = member_of(object, name);
  if (!value.is_number_unsigned()) reject(name, value, "a number of bytes");
  return value.get<std::uint64_t>();
}

// In a comparison of nlohmann::json what is beyond 2^63 is below 0.
bool is_at_most(const json& value, std::uint64_t most) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= most;
}

unsigned count_of(const json& object, const char* name) {
  unsigned count = 1;
  read(member_of(object, name), name, count);
  return count;
}

gpu_device read_gpu(const json& object) {
  if (!object.is_object()) reject("devices", object, "a list of objects");
  gpu_device gpu;
  const json& index = member_of(object, "index");
  if (!is_at_most(index, 1'000'000)) reject("index", index, "a number from 0 to 1000000");
  gpu.index = index.get<unsigned>();
  gpu.name = text_of(object, "name");
  read_if_there(object, "compute_capability", gpu.compute_capability);
  read_if_there(object, "uuid", gpu.uuid);
  gpu.multiprocessors = count_of(object, "multiprocessors");
  gpu.max_threads_per_block = count_of(object, "max_threads_per_block");
  gpu.max_threads_per_multiprocessor = count_of(object, "max_threads_per_multiprocessor");
  gpu.max_blocks_per_multiprocessor = count_of(object, "max_blocks_per_multiprocessor");
  gpu.warp_size = count_of(object, "warp_size");
  gpu.l2_bytes = bytes_of(object, "l2_bytes");
  gpu.memory_bytes = bytes_of(object, "memory_bytes");
  if (object.contains("busy_percent")) {
    const json& percent = object.at("busy_percent");
    if (!is_at_most(percent, 100)) reject("busy_percent", percent, "a percent");
    gpu.busy_percent = percent.get<unsigned>();
  }
  return gpu;
}

gpu_backend read_gpus(const json& object) {
  if (!object.is_object()) reject("device", object, "an object");
  gpu_backend gpus;
  read_if_there(object, "architectures", gpus.architectures);
  const json& devices = member_of(object, "devices");
  if (!devices.is_array()) reject("devices", devices, "a list");
  for (const json& device : devices) gpus.devices.push_back(read_gpu(device));
  for (gpu_device& gpu : gpus.devices) gpu.devices = static_cast<unsigned>(gpus.devices.size());
  return gpus;
}

void read_backend(const json& backend, worker_info& info) {
  if (!backend.is_object()) reject("backends", backend, "a list of objects");
  const std::string name = text_of(backend, "name");
  info.backends.push_back(name);
  try {
    bool pool = false, portable = false;
    read_if_there(backend, "pool", pool);
    read_if_there(backend, "portable", portable);
    if (pool) info.pooled.insert(name);
    if (portable) {
      info.native_of[name] = text_of(backend, "native_of");
      if (info.native_of[name].empty()) reject("native_of", "", "the name of a backend");
    }
    if (backend.contains("device")) info.gpus[name] = read_gpus(backend.at("device"));
    std::string problem;
    read_if_there(backend, "problem", problem);
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
  if (text_of(line, "kind") != "capabilities") reject("kind", line.at("kind"), "\"capabilities\"");
  if (const std::string flaw = flaw_in_protocol(line); !flaw.empty())
    throw std::invalid_argument(flaw);
  info.build = member_of(line, "build");
  if (!info.build.is_object()) reject("build", info.build, "an object");
  (void)text_of(info.build, "id");
  const json& backends = member_of(line, "backends");
  if (!backends.is_array()) reject("backends", backends, "a list");
  for (const json& backend : backends) read_backend(backend, info);
  const json& ops = member_of(line, "ops");
  if (!ops.is_array()) reject("ops", ops, "a list");
  for (const json& entry : ops) info.capabilities.push_back(read_entry(entry));
}

using flaws = std::vector<std::string>;

// As a value of --backend or --op, and as a part of an environment's or a file's name.
bool is_safe_name(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](const char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string unsafe(const char* what, const std::string& name) {
  return fmt::format("the name of {} {} must be of a-z, 0-9, \"_\" and \"-\"", what, quote(name));
}

std::string entry_of(const capability& entry) {
  std::string text = fmt::format("op {}", quote(entry.op));
  if (entry.type) text += fmt::format(", {}", to_text(*entry.type));
  if (entry.order != order::unordered) text += fmt::format(", {}", to_text(entry.order));
  return text;
}

void check_backends(const worker_info& info, flaws& found) {
  if (info.backends.empty()) found.emplace_back("\"backends\" is empty");
  std::set<std::string> known;
  for (const std::string& name : info.backends) {
    if (!is_safe_name(name)) found.push_back(unsafe("backend", name));
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
  if (!is_safe_name(entry.op)) found.push_back(unsafe("op", entry.op));
  if (!contains(info.backends, entry.backend))
    say(fmt::format("its backend {} is not one of \"backends\"", quote(entry.backend)));
  if (entry.family.empty()) say("\"family\" is empty");
  if (!entry.supported) {
    if (entry.reason.empty()) say("it is not supported, and no \"reason\" says why");
    return;
  }
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
    // A GPU's form has more to it than what is told apart here.
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

std::string flaw_in_protocol(const json& line) {
  const auto major = line.find("protocol");
  if (major == line.end()) return "\"protocol\" is missing";
  if (*major != protocol_version)
    return fmt::format("it has protocol {}, this driver has {}.{}: build both of one version",
                       major->dump(-1, ' ', true), protocol_version, protocol_minor);
  const auto minor = line.find("protocol_minor");
  if (minor == line.end() || minor->is_number_unsigned()) return {};
  return fmt::format("\"protocol_minor\" is {}, not a whole number from 0",
                     quote(minor->dump(-1, ' ', true)));
}

void read_capabilities(const json& line, worker_info& info) {
  try {
    read_into(line, info);
  } catch (const std::exception& error) {
    info.backends.clear();
    info.pooled.clear();
    info.native_of.clear();
    info.gpus.clear();
    info.backend_problems.clear();
    info.capabilities.clear();
    info.problem = fmt::format("invalid capabilities: {}", error.what());
  }
}

std::vector<std::string> capability_flaws(const nlohmann::json& line, const worker_info& info) {
  flaws found;
  const nlohmann::json name = line.value("worker", nlohmann::json());
  if (name != info.name)
    found.push_back(fmt::format("\"worker\" is {}, but the program is syncmeter-{}",
                                quote(name.dump(-1, ' ', true)), info.name));
  if (const auto& id = info.build.at("id"); id == "")
    found.emplace_back("the build's \"id\" is empty");
  check_backends(info, found);
  check_entries(info, found);
  return found;
}

}  // namespace syncmeter
