// Every value of every axis has one spelling of its own, and reads back from it.
#include "core/axes.hpp"

namespace syncmeter {
namespace {

// True when V names an enumerator: compilers print the others as a cast, "(syncmeter::order)9".
template <auto V> consteval bool is_enumerator() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  return text.find("V = (") == std::string_view::npos;
}

template <class Enum, std::size_t... I> consteval bool spelled_exactly(std::index_sequence<I...>) {
  return ((is_enumerator<static_cast<Enum>(I)>() == (to_text(static_cast<Enum>(I)) != "?")) && ...);
}

template <axis_value Enum> consteval bool round_trips() {
  std::size_t at = 0;
  for (const std::string_view name : names_of(Enum{})) {
    const auto value = static_cast<Enum>(at++);
    if (to_text(value) != name || from_text<Enum>(name) != value) return false;
    // A spelling stands in options, canonical texts and file keys: no blanks, signs or capitals.
    for (const char c : name) {
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
    }
  }
  return !from_text<Enum>("") && !from_text<Enum>("?") && !from_text<Enum>("no such value");
}

template <class Enum>
inline constexpr bool spelled = spelled_exactly<Enum>(std::make_index_sequence<64>{});

static_assert(is_enumerator<order::relaxed>() && !is_enumerator<static_cast<order>(63)>());

static_assert(spelled<value_type> && round_trips<value_type>());
static_assert(spelled<placement> && round_trips<placement>());
static_assert(spelled<order> && round_trips<order>());
static_assert(spelled<affinity> && round_trips<affinity>());
static_assert(spelled<wait_policy> && round_trips<wait_policy>());

static_assert(!from_text<order>("Relaxed") && !from_text<order>("relaxed ") &&
              !from_text<order>("rel"));

template <class T> inline constexpr bool right_size = sizeof(T) == size_of(type_tag<T>::value);
static_assert(right_size<std::int32_t> && right_size<std::uint32_t> && right_size<std::uint64_t>);
static_assert(right_size<float> && right_size<double>);

}  // namespace
}  // namespace syncmeter
