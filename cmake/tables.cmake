# A worker's table is compiled in parts, side by side: for each type of its ops, and where those are many,
# for parts of them. No part should take more than half a minute to compile.

# sm_tables(TARGET NAMESPACE BACKEND OPS SUFFIX TABLE...): adds the parts to TARGET as generated sources, and
# all_rows() of syncmeter::NAMESPACE, which returns them in order. BACKEND is the header that has `backend`
# there, OPS the one that has the list syncmeter_ops. A TABLE is NAME:TYPE:PARTS, void for ops without a type.
function(sm_tables target namespace backend ops suffix)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_tables)
  set(declared)
  set(listed)
  set(required)
  if(ARGC EQUAL 6)  # a table of ops without a type alone
    set(required "static_assert(syncmeter::all_untyped(::syncmeter_ops{}),
              \"an op has a type: syncmeter_add_worker() must name it in TYPES, not none\");\n")
  endif()
  foreach(table IN LISTS ARGN)
    string(REGEX MATCH "^([a-z0-9]+):(.*):([0-9]+)$" matched ${table})
    set(name ${CMAKE_MATCH_1})
    set(type ${CMAKE_MATCH_2})
    set(parts ${CMAKE_MATCH_3})
    math(EXPR last "${parts} - 1")
    foreach(part RANGE ${last})
      file(CONFIGURE OUTPUT ${folder}/${name}_${part}${suffix} CONTENT [[
// Made by cmake/tables.cmake.
#include "@backend@"
#include "@ops@"

@required@namespace syncmeter::@namespace@ {

std::vector<measurable> rows_@name@_@part@() {
  return rows_of_part<backend, @type@, table_part{@part@, @parts@}>(::syncmeter_ops{});
}

}  // namespace syncmeter::@namespace@
]] @ONLY)
      target_sources(${target} PRIVATE ${folder}/${name}_${part}${suffix})
      string(APPEND declared "std::vector<measurable> rows_${name}_${part}();\n")
      list(APPEND listed "&rows_${name}_${part}")
    endforeach()
  endforeach()
  string(JOIN ", " listed ${listed})
  file(CONFIGURE OUTPUT ${folder}/rows.cpp CONTENT [[
// Made by cmake/tables.cmake.
#include <vector>

#include "core/measurable.hpp"

namespace syncmeter::@namespace@ {

@declared@
std::vector<measurable> all_rows() {
  std::vector<measurable> all;
  for (const auto part : {@listed@}) {
    const std::vector<measurable> rows = part();
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace syncmeter::@namespace@
]] @ONLY)
  target_sources(${target} PRIVATE ${folder}/rows.cpp)
endfunction()
