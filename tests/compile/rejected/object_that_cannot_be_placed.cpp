// An object that no rig can make and lay beside a cell, and a check that it could not call.
// expect: made from nothing.*aligned to more.*larger than 1 MiB.*static std::string check
#include "core/cell_object.hpp"

struct good {
  using object = int;
  static std::string check(const int&, const syncmeter::object_use&) { return {}; }
};
#ifdef SM_MISTAKE
struct not_from_nothing {
  struct object {
    explicit object(char) {}
  };
};
struct over_aligned {
  struct alignas(8192) object {};
};
struct too_large {
  struct object {
    char bytes[(1 << 20) + 1];
  };
};
struct wrong_check {
  using object = int;
  template <class T> static bool check(const T&) { return true; }
};
#else
using not_from_nothing = good;
using over_aligned = good;
using too_large = good;
using wrong_check = good;
#endif
template <class Op> constexpr auto kind = syncmeter::object_kind_of<Op>();
constexpr auto first = kind<not_from_nothing>;
constexpr auto second = kind<over_aligned>;
constexpr auto third = kind<too_large>;
constexpr auto fourth = kind<wrong_check>;
