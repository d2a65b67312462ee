#include "driver/workers/capability_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
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
  if (const auto known = from_text<Enum>(text)) {
    field = *known;
    return;
  }
  std::string allowed;
  for (const auto& known : names_of(Enum{})) {
    allowed += allowed.empty() ? "" : ", ";
    allowed += known.text;
  }
  reject(name, value, "one of " + allowed);
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

capability read_entry(const json& entry) {
  capability op;
#define SM_MEMBER(name, kind, absent, ...)                                                         \
  if (std::string_view(#absent) == "required") (void)member_of(entry, #name);                      \
  read_if_there(entry, #name, op.name);
#include "record/op.def"
  return op;
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
