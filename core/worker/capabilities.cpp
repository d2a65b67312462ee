// What a worker can measure: its `capabilities`, with the machine code of loops in this very
// process.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/worker/protocol.hpp"

namespace syncmeter {
namespace {

using nlohmann::json;

/// FNV-1a, continued from `hash`.
std::uint64_t fnv1a(const void* data, std::size_t size, std::uint64_t hash = 0xcbf29ce484222325U) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3U;
  return hash;
}

struct machine_code {
  std::string symbol;      ///< mangled
  std::uint64_t hash = 0;  ///< FNV-1a over its bytes
  std::size_t bytes = 0;
};

/// The function that starts at `address`, from the dynamic symbol table (link with -rdynamic);
/// nothing where it has no symbol. Calls are relative to where they stand, so that equal hashes
/// mean equal code for code without calls, and at worst two equal functions are not recognised as
/// such.
std::optional<machine_code> machine_code_at(const void* address) {
  Dl_info info{};
  void* entry = nullptr;
  if (address == nullptr || dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0)
    return std::nullopt;
  const auto* symbol = static_cast<const ElfW(Sym)*>(entry);
  if (info.dli_sname == nullptr || info.dli_saddr != address || symbol == nullptr)
    return std::nullopt;
  return machine_code{info.dli_sname, fnv1a(address, symbol->st_size), symbol->st_size};
}

/// What the linker calls this program (the note NT_GNU_BUILD_ID): another one whenever any byte of
/// it is another, code for a device included. Empty where it was linked without --build-id.
std::string linker_build_id() {
  std::string id;
  // The first object is the program itself.
  const auto read_notes = [](dl_phdr_info* object, std::size_t, void* found) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = object->dlpi_phdr[i];
      if (segment.p_type != PT_NOTE) continue;
      const auto align = [&](std::size_t n) {
        return segment.p_align == 8 ? (n + 7) & ~7UL : (n + 3) & ~3UL;
      };
      const char* at = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
      const char* const end = at + segment.p_memsz;
      while (at + sizeof(ElfW(Nhdr)) <= end) {
        const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
        const char* const name = at + sizeof note;
        const char* const description = name + align(note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID &&
            std::string_view{name, note.n_namesz} == std::string_view{"GNU", 4})
          *static_cast<std::string*>(found) = {description, note.n_descsz};
        at = description + align(note.n_descsz);
      }
    }
    return 1;
  };
  dl_iterate_phdr(read_notes, &id);
  return id;
}

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

bool same_but_placement(form a, const form& b) {
  a.placement = b.placement;
  return a == b;
}

bool same_loops(const measurable& a, const measurable& b) {
  return a.info.name == b.info.name && a.type == b.type && same_but_placement(a.form, b.form) &&
         a.by_count == b.by_count && a.code == b.code && a.kernel_name == b.kernel_name;
}

// What an op should compile to: where it says so itself, on the machine that its loops are built
// for.
json declared_by(const worker_backend& backend, const measurable& row) {
  if (row.info.compiles_to.empty()) return backend.declares(row);
#if defined(__aarch64__)
  constexpr auto machine = "aarch64";
#else
  constexpr auto machine = "x86-64";
#endif
  return {{row.code_on_device ? "sass" : machine, row.info.compiles_to}};
}

json op_json(const worker_backend& backend, const measurable& row) {
  json j{{"backend", backend.name()},
         {"op", row.info.name},
         {"family", to_text(row.info.family)},
         {"pairing", row.info.pairing == pairing::self ? "self" : "insert"},
         {"order", to_text(row.form.order)},
         {"placements", json::array()},
         {"unroll", row.info.unroll},
         {"ops_per_step", row.info.ops_per_step},
         {"min_lanes", row.info.min_lanes},
         {"communicates", row.info.communicates},
         {"empty_on_purpose", row.info.empty_on_purpose},
         {"note", row.info.note},
         {"supported", row.unsupported.empty()}};
  if (row.type) j["type"] = to_text(*row.type);
  if (row.form.scope != scope::none) j["scope"] = to_text(row.form.scope);
  if (row.form.flavour != flavour::none) j["flavour"] = to_text(row.form.flavour);
  if (row.form.space != space::none) j["space"] = to_text(row.form.space);
  if (row.info.holds_lock) j["holds_lock"] = true;
  if (row.info.reads_and_writes) j["reads_and_writes"] = true;
  if (row.info.arrives_late) j["arrives_late"] = true;
  if (row.info.after_gap) j["after_gap"] = true;
  if (row.info.has_work) j["has_work"] = true;
  if (row.info.own_threads) j["own_threads"] = true;
  if (row.info.ring_of_lanes) j["ring_of_lanes"] = true;
  if (!row.info.in_quick) j["in_quick"] = false;
  if (row.form.some_lanes) j["some_lanes"] = true;
  if (!row.info.size_of.empty()) j["size_of"] = row.info.size_of;
  if (row.info.launching != launching::plain) j["all_at_once"] = true;
  if (row.form.size != 0) j["size"] = row.form.size;
  if (!row.unsupported.empty()) {
    j["reason"] = row.unsupported;
    return j;
  }
  j["declares"] = declared_by(backend, row);
  j["additivity"] = row.built == counts.size();
  if (row.kernel_name != nullptr) {
    for (std::size_t i = 0; i < row.built; ++i) j["symbols"].push_back(row.kernel_name(i));
  }
  if (row.code == nullptr) return j;
  json hashes = json::array(), symbols = json::array();
  for (std::size_t i = 0; i < row.built; ++i) {
    const auto code = machine_code_at(row.code(i));
    if (!code) return j;
    symbols.push_back(code->symbol);
    if (i < 2) hashes.push_back(hex(code->hash));
  }
  if (!row.code_on_device) j["code"] = hashes;
  j["symbols"] = symbols;
  return j;
}

}  // namespace

json build_json(const worker_identity& who, const std::vector<worker_backend*>& backends) {
  auto hash = fnv1a(who.compiler.data(), who.compiler.size());
  hash = fnv1a(who.flags.data(), who.flags.size(), hash);
  bool on_device = false;
  for (const auto* backend : backends) {
    for (const auto& row : backend->rows()) {
      on_device = on_device || row.code_on_device;
      for (std::size_t i = 0; row.code != nullptr && i < counts.size(); ++i) {
        if (const auto code = machine_code_at(row.code(i)))
          hash = fnv1a(&code->hash, sizeof code->hash, hash);
      }
    }
  }
  // Of a loop on a device only the stub that launches it is at hand: there the whole program
  // counts.
  if (on_device) {
    const std::string program = linker_build_id();
    hash = fnv1a(program.data(), program.size(), hash);
  }
  return {{"id", hex(hash)}, {"compiler", who.compiler}, {"flags", who.flags}};
}

json capabilities_json(const worker_identity& who, const std::vector<worker_backend*>& backends) {
  json j{{"kind", "capabilities"},
         {"protocol", protocol_version},
         {"protocol_minor", protocol_minor},
         {"worker", who.name},
         {"backends", json::array()},
         {"build", build_json(who, backends)},
         {"ops", json::array()}};
  for (const auto* backend : backends) {
    j["backends"].push_back(
        {{"name", backend->name()}, {"clock", backend->clock()}, {"runtime", backend->runtime()}});
    if (backend->pool()) j["backends"].back()["pool"] = true;
    const std::string native = backend->native_of();
    j["backends"].back()["portable"] = !native.empty();
    if (!native.empty()) j["backends"].back()["native_of"] = native;
    if (auto device = backend->device(); !device.is_null())
      j["backends"].back()["device"] = std::move(device);
    if (auto problem = backend->problem(); !problem.empty())
      j["backends"].back()["problem"] = std::move(problem);
    const measurable* previous = nullptr;
    for (const auto& row : backend->rows()) {
      // Placements follow each other in the table; on a CPU they are the same loops.
      if (previous == nullptr || !same_loops(*previous, row))
        j["ops"].push_back(op_json(*backend, row));
      if (row.form.placement != placement::none)
        j["ops"].back()["placements"].push_back(to_text(row.form.placement));
      previous = &row;
    }
  }
  return j;
}

bool is_elided(const measurable& row) {
  if (row.info.empty_on_purpose || row.code == nullptr || row.code_on_device) return false;
  const auto baseline = machine_code_at(row.code(0));
  const auto test = machine_code_at(row.code(1));
  return baseline && test && baseline->bytes == test->bytes && baseline->hash == test->hash;
}

}  // namespace syncmeter
