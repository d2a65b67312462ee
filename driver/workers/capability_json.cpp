#include "driver/workers/capability_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string_view>

#include "core/worker/protocol.hpp"
#include "driver/text/quote.hpp"

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

std::string text_of(const json& object, const char* name) {
  const json& value = member_of(object, name);
  if (!value.is_string()) reject(name, value, "a text");
  return value.get<std::string>();
}

std::string text_or_empty(const json& object, const char* name) {
  return object.contains(name) ? text_of(object, name) : std::string{};
}

bool flag_or(const json& object, const char* name, bool otherwise) {
  if (!object.contains(name)) return otherwise;
  const json& value = object.at(name);
  if (!value.is_boolean()) reject(name, value, "true or false");
  return value.get<bool>();
}

unsigned count_or(const json& object, const char* name, unsigned otherwise) {
  if (!object.contains(name)) return otherwise;
  const json& value = object.at(name);
  if (!value.is_number_integer() || value < 1 || value > 1'000'000) {
    reject(name, value, "a number from 1 to 1000000");
  }
  return value.get<unsigned>();
}

std::vector<std::string> texts_or_none(const json& object, const char* name) {
  std::vector<std::string> texts;
  if (!object.contains(name)) return texts;
  const json& list = object.at(name);
  if (!list.is_array()) reject(name, list, "a list of texts");
  for (const json& text : list) {
    if (!text.is_string()) reject(name, list, "a list of texts");
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

template <axis_value Enum> Enum axis_of(const std::string& text, const char* name) {
  if (const auto value = from_text<Enum>(text)) return *value;
  std::string allowed;
  for (const auto& known : names_of(Enum{})) {
    allowed += allowed.empty() ? "" : ", ";
    allowed += known.text;
  }
  reject(name, json(text), "one of " + allowed);
}

capability read_entry(const json& entry) {
  capability read;
  read.backend = text_of(entry, "backend");
  read.op = text_of(entry, "op");
  read.family = text_of(entry, "family");
  read.pairing = text_or_empty(entry, "pairing");
  read.note = text_or_empty(entry, "note");
  read.reason = text_or_empty(entry, "reason");
  if (entry.contains("type")) read.type = axis_of<value_type>(text_of(entry, "type"), "type");
  if (entry.contains("order")) read.order = axis_of<order>(text_of(entry, "order"), "order");
  for (const std::string& text : texts_or_none(entry, "placements")) {
    read.placements.push_back(axis_of<placement>(text, "placements"));
  }
  if (entry.contains("scope")) read.scope = axis_of<scope>(text_of(entry, "scope"), "scope");
  if (entry.contains("flavour"))
    read.flavour = axis_of<flavour>(text_of(entry, "flavour"), "flavour");
  if (entry.contains("space")) read.space = axis_of<space>(text_of(entry, "space"), "space");
  read.some_lanes = flag_or(entry, "some_lanes", false);
  read.all_at_once = flag_or(entry, "all_at_once", false);
  read.size_of = text_or_empty(entry, "size_of");
  read.size = count_or(entry, "size", 0);
  read.holds_lock = flag_or(entry, "holds_lock", false);
  read.reads_and_writes = flag_or(entry, "reads_and_writes", false);
  read.arrives_late = flag_or(entry, "arrives_late", false);
  read.additivity = flag_or(entry, "additivity", true);
  read.unroll = count_or(entry, "unroll", 1);
  read.ops_per_step = count_or(entry, "ops_per_step", 1);
  read.min_lanes = count_or(entry, "min_lanes", 1);
  read.communicates = flag_or(entry, "communicates", false);
  read.empty_on_purpose = flag_or(entry, "empty_on_purpose", false);
  if (!entry.contains("supported")) (void)member_of(entry, "supported");
  read.supported = flag_or(entry, "supported", false);
  read.code = texts_or_none(entry, "code");
  read.symbols = texts_or_none(entry, "symbols");
  if (entry.contains("declares")) {
    const json& declared = entry.at("declares");
    if (!declared.is_object()) reject("declares", declared, "an object of texts");
    for (const auto& [set, instructions] : declared.items()) {
      if (!instructions.is_string()) reject("declares", declared, "an object of texts");
      read.declares[set] = instructions.get<std::string>();
    }
  }
  return read;
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
  (void)member_of(object, name);
  return count_or(object, name, 1);
}

gpu_device read_gpu(const json& object) {
  if (!object.is_object()) reject("devices", object, "a list of objects");
  gpu_device gpu;
  const json& index = member_of(object, "index");
  if (!is_at_most(index, 1'000'000)) reject("index", index, "a number from 0 to 1000000");
  gpu.index = index.get<unsigned>();
  gpu.name = text_of(object, "name");
  gpu.compute_capability = text_or_empty(object, "compute_capability");
  gpu.uuid = text_or_empty(object, "uuid");
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
  gpus.architectures = texts_or_none(object, "architectures");
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
    if (flag_or(backend, "pool", false)) info.pooled.insert(name);
    if (flag_or(backend, "portable", false)) {
      info.native_of[name] = text_of(backend, "native_of");
      if (info.native_of[name].empty()) reject("native_of", "", "the name of a backend");
    }
    if (backend.contains("device")) info.gpus[name] = read_gpus(backend.at("device"));
    std::string problem = text_or_empty(backend, "problem");
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
  for (const json& entry : ops) info.capabilities.push_back(capability_from_json(entry));
}

}  // namespace

capability capability_from_json(const json& entry) {
  if (!entry.is_object()) reject("ops", entry, "a list of objects");
  try {
    return read_entry(entry);
  } catch (const std::invalid_argument& error) {
    const std::string op = entry.value("op", json("?")).dump(-1, ' ', true);
    throw std::invalid_argument(fmt::format("in the entry of op {}: {}", quote(op), error.what()));
  }
}

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

}  // namespace syncmeter
