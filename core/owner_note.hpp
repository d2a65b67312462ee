// Counts how often a lock changes its owner. The cell under the lock holds an owner note instead of
// a number: the add becomes the count, and ops need no further code.
#pragma once

#include <cstdint>
#include <type_traits>

namespace syncmeter {

/// The last owner of a lock, and the number of changes. It has eight bytes, like the widest number
/// that lanes add (bits_of in core/harness/oracle.hpp).
struct owner_note {
  std::uint32_t owner = 0;  ///< the lane's number + 1, 0 before the first owner
  std::uint32_t changes = 0;

  /// Returns the note after one more acquisition. `next` names the lane that adds.
  friend constexpr owner_note operator+(owner_note note, owner_note next) {
    const bool changed = note.owner != 0 && note.owner != next.owner;
    return {next.owner, note.changes + (changed ? 1U : 0U)};
  }
};

/// A lane that counts owner changes: its cell and its addend are owner notes.
template <class Lane> concept notes_owners = std::is_same_v<typename Lane::value_type, owner_note>;

}  // namespace syncmeter
