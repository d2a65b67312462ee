#include "probe/unwind.hpp"

#include <string.h>

#include <cstddef>

namespace syncmeter::probe {
namespace {

// Registers as the architecture's ABI numbers them for DWARF.
#if defined(__x86_64__)
constexpr std::uint64_t frame_pointer = 6, stack_pointer = 7, return_column = 16;
#else
constexpr std::uint64_t frame_pointer = 29, stack_pointer = 31, return_column = 30;
#endif

/// Reads a table's values one after another.
struct reader {
  const unsigned char* at;

  template <class Value> Value value() {
    Value read;
    ::memcpy(&read, at, sizeof read);
    at += sizeof read;
    return read;
  }
  std::uint64_t unsigned_leb() {
    std::uint64_t read = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned char byte = *at++;
      if (shift < 64) read |= std::uint64_t{byte & 0x7FU} << shift;
      if ((byte & 0x80U) == 0) return read;
    }
  }
  std::int64_t signed_leb() {
    std::uint64_t read = 0;
    for (unsigned shift = 0;;) {
      const unsigned char byte = *at++;
      if (shift < 64) read |= std::uint64_t{byte & 0x7FU} << shift;
      shift += 7;
      if ((byte & 0x80U) != 0) continue;
      if (shift < 64 && (byte & 0x40U) != 0) read |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(read);
    }
  }
  /// An address as linkers write it: four bytes, from where they stand.
  std::uint64_t relative() {
    const auto here = reinterpret_cast<std::uint64_t>(at);
    return here + static_cast<std::uint64_t>(std::int64_t{value<std::int32_t>()});
  }
};
constexpr unsigned char relative_4 = 0x1B;  // DW_EH_PE_pcrel | DW_EH_PE_sdata4

/// What holds at one place of a function.
struct rules {
  std::uint64_t cfa_register = 0;
  std::int64_t cfa_offset = 0;
  std::int64_t return_offset = 0, saved_frame_offset = 0;
  bool is_known = true;
};

/// What all functions of a table have in common, and where instructions for one of them are.
struct common_entry {
  std::uint64_t code_factor = 1;
  std::int64_t data_factor = 1;
  reader begin{nullptr};
  const unsigned char* end = nullptr;
};

/// Of entries as compilers write them: addresses are relative, and of no signal handler.
bool read_common(reader from, common_entry& found) {
  const auto bytes = from.value<std::uint32_t>();
  found.end = from.at + bytes;
  const bool is_common = bytes != 0xFFFFFFFFU && from.value<std::uint32_t>() == 0;
  const auto version = from.value<unsigned char>();
  if (!is_common || (version != 1 && version != 3)) return false;
  const auto* letters = reinterpret_cast<const char*>(from.at);
  from.at += ::strlen(letters) + 1;
  found.code_factor = from.unsigned_leb();
  found.data_factor = from.signed_leb();
  const std::uint64_t column = version == 1 ? from.value<unsigned char>() : from.unsigned_leb();
  if (*letters++ != 'z' || column != return_column) return false;
  const std::uint64_t extra = from.unsigned_leb();
  found.begin.at = from.at + extra;
  for (; *letters != 0; ++letters) switch (*letters) {
    case 'R':
      if (from.value<unsigned char>() != relative_4) return false;
      break;
    case 'L':
      from.value<unsigned char>();
      break;
    case 'P': {
      constexpr unsigned size_bits = 0x0F, four_bytes = 0x0B, unsigned_four_bytes = 0x03;
      const unsigned size = from.value<unsigned char>() & size_bits;
      from.at += size == four_bytes || size == unsigned_four_bytes ? 4 : 8;
      break;
    }
    case 'B':
      break;  // the second key signs return addresses (AArch64)
    default:
      return false;
    }
  return true;
}

/// Runs instructions up to a place, of a function that begins at `at`.
class interpreter {
 public:
  interpreter(const common_entry& common, std::uint64_t at, std::uint64_t place)
      : common_(common), at_(at), place_(place) {}

  /// False where an instruction is of no use here.
  bool run(reader from, const unsigned char* end) {
    while (from.at < end && at_ <= place_)
      if (!one(from)) return false;
    return true;
  }
  void keep_initial() { initial_ = now; }

  rules now;

 private:
  bool one(reader& from) {
    const unsigned code = from.value<unsigned char>(), low = code & 0x3FU;
    switch (code & 0xC0U) {
    case 0x40:
      return advance(low);
    case 0x80:
      return save(low, from.unsigned_leb());
    case 0xC0:
      return restore(low);
    default:
      break;
    }
    switch (code) {
    case 0x00:
      return true;  // nop
    case 0x02:
      return advance(from.value<std::uint8_t>());
    case 0x03:
      return advance(from.value<std::uint16_t>());
    case 0x04:
      return advance(from.value<std::uint32_t>());
    case 0x05: {  // offset_extended
      const std::uint64_t saved = from.unsigned_leb();
      return save(saved, from.unsigned_leb());
    }
    case 0x06:
      return restore(from.unsigned_leb());
    case 0x07:
      return lose(from.unsigned_leb());  // undefined
    case 0x08:
      return set(from.unsigned_leb(), 0);  // same_value
    case 0x09:
      return from.unsigned_leb(), lose(from.unsigned_leb());  // register
    case 0x0A:
      if (depth_ == most_states) return false;
      states_[depth_++] = now;
      return true;
    case 0x0B:
      if (depth_ == 0) return false;
      now = states_[--depth_];
      return true;
    case 0x0C:  // def_cfa
      now.cfa_register = from.unsigned_leb();
      now.cfa_offset = static_cast<std::int64_t>(from.unsigned_leb());
      return true;
    case 0x0D:
      now.cfa_register = from.unsigned_leb();
      return true;
    case 0x0E:
      now.cfa_offset = static_cast<std::int64_t>(from.unsigned_leb());
      return true;
    case 0x10:    // expression
    case 0x16: {  // val_expression
      const std::uint64_t saved = from.unsigned_leb();
      from.at += from.unsigned_leb();
      return lose(saved);
    }
    case 0x11: {  // offset_extended_sf
      const std::uint64_t saved = from.unsigned_leb();
      return set(saved, from.signed_leb() * common_.data_factor);
    }
    case 0x12:  // def_cfa_sf
      now.cfa_register = from.unsigned_leb();
      now.cfa_offset = from.signed_leb() * common_.data_factor;
      return true;
    case 0x13:
      now.cfa_offset = from.signed_leb() * common_.data_factor;
      return true;
    case 0x2D:
      return true;  // AARCH64_negate_ra_state
    case 0x2E:
      from.unsigned_leb();
      return true;  // GNU_args_size
    default:
      return false;  // the CFA by an expression, and what no compiler writes
    }
  }
  bool advance(std::uint64_t by) {
    at_ += by * common_.code_factor;
    return true;
  }
  bool save(std::uint64_t saved, std::uint64_t factored) {
    return set(saved, static_cast<std::int64_t>(factored) * common_.data_factor);
  }
  bool set(std::uint64_t saved, std::int64_t offset) {
    if (saved == frame_pointer) now.saved_frame_offset = offset;
    if (saved == return_column) now.return_offset = offset;
    return true;
  }
  bool restore(std::uint64_t saved) {
    if (saved == frame_pointer) now.saved_frame_offset = initial_.saved_frame_offset;
    if (saved == return_column) now.return_offset = initial_.return_offset;
    return true;
  }
  bool lose(std::uint64_t saved) {
    if (saved == frame_pointer || saved == return_column) now.is_known = false;
    return true;
  }

  static constexpr unsigned most_states = 8;
  const common_entry& common_;
  std::uint64_t at_, place_;
  rules initial_;
  rules states_[most_states];
  unsigned depth_ = 0;
};

/// The entry of the function that begins last before a place, by the table's index; nullptr where
/// there is none.
const unsigned char* entry_before(std::uint64_t table, std::uint64_t place) {
  reader from{reinterpret_cast<const unsigned char*>(table)};
  constexpr unsigned char count_4 = 0x03, in_order = 0x3B;  // udata4; datarel | sdata4
  const auto version = from.value<unsigned char>(), begin = from.value<unsigned char>(),
             count = from.value<unsigned char>(), order = from.value<unsigned char>();
  if (version != 1 || begin != relative_4 || count != count_4 || order != in_order) return nullptr;
  from.relative();
  std::size_t first = 0, end = from.value<std::uint32_t>();
  struct pair {
    std::int32_t function, entry;
  };
  const auto* const pairs = reinterpret_cast<const pair*>(from.at);
  const auto is_behind = [&](const pair& each) {
    return table + static_cast<std::uint64_t>(std::int64_t{each.function}) > place;
  };
  while (first < end) {
    const std::size_t middle = first + (end - first) / 2;
    if (is_behind(pairs[middle])) end = middle;
    else first = middle + 1;
  }
  return first == 0 ? nullptr
                    : reinterpret_cast<const unsigned char*>(
                          table + static_cast<std::uint64_t>(std::int64_t{pairs[first - 1].entry}));
}

}  // namespace

bool find_step(std::uint64_t table, std::uint64_t return_address, unwind_step& found) {
  // The call may be the last instruction.
  const std::uint64_t place = return_address - 1;
  const unsigned char* const entry = table == 0 ? nullptr : entry_before(table, place);
  if (entry == nullptr) return false;
  reader from{entry};
  const auto bytes = from.value<std::uint32_t>();
  const unsigned char* const end = from.at + bytes;
  const unsigned char* const common_at = from.at;
  const auto back = from.value<std::uint32_t>();
  common_entry common;
  if (bytes == 0xFFFFFFFFU || back == 0 || !read_common({common_at - back}, common)) return false;
  const std::uint64_t begin = from.relative();
  if (place < begin || place - begin >= from.value<std::uint32_t>()) return false;
  const std::uint64_t extra = from.unsigned_leb();
  from.at += extra;
  interpreter code(common, begin, place);
  if (!code.run(common.begin, common.end)) return false;
  code.keep_initial();
  if (!code.run(from, end)) return false;
  const rules& at = code.now;
  constexpr std::int64_t most = 1 << 30;
  const bool by_frame_pointer = at.cfa_register == frame_pointer;
  if (!at.is_known || (!by_frame_pointer && at.cfa_register != stack_pointer) ||
      at.return_offset >= 0 || at.return_offset < -most || at.saved_frame_offset > 0 ||
      at.saved_frame_offset < -most || at.cfa_offset < 0 || at.cfa_offset > most)
    return false;
  found = {by_frame_pointer, static_cast<std::int32_t>(at.cfa_offset),
           static_cast<std::int32_t>(at.return_offset),
           static_cast<std::int32_t>(at.saved_frame_offset)};
  return true;
}

}  // namespace syncmeter::probe
