#include "driver/advise/program_file.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "driver/census/isa/instruction_class.hpp"
#include "driver/census/tools/elf_file.hpp"
#include "driver/text/messages.hpp"
#include "driver/workers/find_workers.hpp"

namespace syncmeter {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& command, const std::string& why) {
  throw usage_error(fmt::format("advise: {} {}", quote(command), why));
}

/// Why the system does not run this file.
std::string_view why_no_program(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return "there is no such file";
  return fs::is_directory(path, error) ? "it is a folder" : "it is not executable (chmod +x)";
}

fs::path find_program(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    if (!is_program(command))
      refuse(command, fmt::format("is not a program that can be run: {}", why_no_program(command)));
    return fs::absolute(command);
  }
  if (const auto found = program_on_path(command)) return *found;
  refuse(command, "is not on PATH; a program of this folder is named ./" + command);
}

/// What the first line names of a script; nothing of another file.
std::optional<std::string> interpreter_of_script(const fs::path& path) {
  std::string line;
  std::getline(std::ifstream(path, std::ios::binary), line);
  if (!line.starts_with("#!")) return std::nullopt;
  constexpr const char* blanks = " \t\r";
  const std::size_t first = line.find_first_not_of(blanks, 2);
  if (first == std::string::npos) return "";
  return line.substr(first, line.find_first_of(blanks, first) - first);
}

bool is_elf(const fs::path& path) {
  std::array<char, SELFMAG> first{};
  std::ifstream(path, std::ios::binary).read(first.data(), first.size());
  return std::string_view(first.data(), first.size()) == ELFMAG;
}

/// The names of libraries that it is linked with.
std::vector<std::string> needed_libraries(elf_file& file) {
  std::vector<std::string> needed;
  for (const Elf64_Shdr& section : file.sections()) {
    if (section.sh_type != SHT_DYNAMIC || section.sh_link >= file.sections().size()) continue;
    const std::string names = file.bytes_of(file.sections()[section.sh_link]);
    for (const auto& entry :
         file.read<Elf64_Dyn>(section.sh_offset, section.sh_size / sizeof(Elf64_Dyn)))
      if (entry.d_tag == DT_NEEDED) needed.push_back(name_at(names, entry.d_un.d_val));
  }
  return needed;
}

std::string read_build_id(elf_file& file, const std::string& names) {
  for (const Elf64_Shdr& section : file.sections()) {
    if (name_at(names, section.sh_name) != ".note.gnu.build-id") continue;
    constexpr std::size_t before = 16;  // three sizes and "GNU"
    const std::string note = file.bytes_of(section);
    std::string text;
    for (std::size_t i = before; i < note.size(); ++i)
      text += fmt::format("{:02x}", static_cast<unsigned char>(note[i]));
    return text;
  }
  return "";
}

bool is_of_go(elf_file& file, const std::string& names) {
  return std::ranges::any_of(file.sections(), [&](const Elf64_Shdr& section) {
    return name_at(names, section.sh_name) == ".go.buildinfo";
  });
}

/// Whether it calls a loop of libgomp whose schedule is that of the environment.
bool takes_schedule(elf_file& file) {
  for (const Elf64_Shdr& section : file.sections()) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= file.sections().size()) continue;
    const std::string names = file.bytes_of(file.sections()[section.sh_link]);
    for (const auto& symbol :
         file.read<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      const std::string name = name_at(names, symbol.st_name);
      if (name.starts_with("GOMP_") && name.find("_runtime") != std::string::npos) return true;
    }
  }
  return false;
}

/// What loads it, its OpenMP runtimes and its number.
void read_identity(elf_file& file, const std::string& names, program_file& found) {
  for (const auto& part : file.segments()) {
    if (part.p_type != PT_INTERP) continue;
    const std::vector<char> text = file.read<char>(part.p_offset, part.p_filesz);
    found.interpreter.assign(text.begin(), std::ranges::find(text, '\0'));
  }
  for (const std::string& library : needed_libraries(file))
    if (starts_with_any(library, {"libgomp.", "libomp.", "libiomp5."}))
      found.runtimes.push_back(library);
  found.build_id = read_build_id(file, names);
  found.takes_schedule = takes_schedule(file);
}

void look_into(elf_file& file, const std::string& command, program_file& found) {
  const std::string names = file.sections().empty() ? "" : file.names_of_sections();
  read_identity(file, names, found);
  const bool is_go = is_of_go(file, names);
  if (is_go && found.interpreter.empty())
    refuse(command,
           "is a Go program: it synchronizes without the C library, whose calls are counted; "
           "--static finds what its code has");
  if (found.interpreter.empty())
    refuse(command, "is a static program: no library can be preloaded that counts its calls; link "
                    "it dynamically, or see what its code has by --static");
  if (fs::path(found.interpreter).filename().string().starts_with("ld-musl"))
    refuse(command, "is a program of musl; calls of the GNU C library alone can be counted");
  for (const std::string& library : needed_libraries(file))
    if (starts_with_any(library, {"libasan.", "libtsan.", "libhwasan."}))
      refuse(command, fmt::format("needs {}, which must be loaded before all others; build it "
                                  "without a sanitizer",
                                  library));
  if (is_go) {
    found.notes.emplace_back("The program is of Go: only what its C code calls is counted.");
    found.uncounted.emplace_back("its Go code");
  }
  const auto functions = read_elf_symbols(found.path).functions;
  for (const char* of_runtime : {"GOMP_parallel", "__kmpc_fork_call"})
    if (functions.contains(of_runtime)) {
      found.notes.push_back(fmt::format(
          "The program has its OpenMP runtime linked into it ({} is defined in the file): regions, "
          "barriers and critical sections are not counted. Link the runtime dynamically.",
          of_runtime));
      found.uncounted.emplace_back("its OpenMP");
    }
}

}  // namespace

program_file look_at_program(const std::string& command) {
  program_file found{.path = find_program(command)};
  if (const auto interpreter = interpreter_of_script(found.path)) {
    if (!is_program(*interpreter))
      refuse(command, fmt::format("begins with #!{}, which is not a program that can be run: {}",
                                  printable(*interpreter), why_no_program(*interpreter)));
    return found;
  }
  if (!is_elf(found.path))
    refuse(command, "is neither an ELF program nor a script that begins with #! and its "
                    "interpreter; name the interpreter, as in sh SCRIPT");
  try {
    elf_file file(found.path);
    look_into(file, command, found);
  } catch (const disassembly_error& error) {
    refuse(command, fmt::format("cannot be looked into: {}", error.what()));
  }
  struct stat status = {};
  if (::stat(found.path.c_str(), &status) == 0 &&
      (((status.st_mode & S_ISUID) != 0 && status.st_uid != ::geteuid()) ||
       ((status.st_mode & S_ISGID) != 0 && status.st_gid != ::getegid()))) {
    refuse(command, "runs as another user or group (set-user-id): the system preloads no library "
                    "into it that counts its calls");
  }
  return found;
}

program_file look_at_code(const std::string& path) {
  program_file found{.path = fs::absolute(path)};
  try {
    elf_file file(found.path);
    read_identity(file, file.sections().empty() ? "" : file.names_of_sections(), found);
  } catch (const disassembly_error& error) {
    refuse(path, fmt::format("cannot be looked into: {}", error.what()));
  }
  return found;
}

}  // namespace syncmeter
