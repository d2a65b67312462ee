# A worker's table is compiled in parts, side by side: for each type of its ops, and where those are many,
# for parts of them. No part should take more than half a minute to compile.

# sm_tables(WORKER NAMESPACE SOURCE ADD_PART TABLE...): adds the parts to syncmeter-WORKER, and all_rows() of
# syncmeter::NAMESPACE, which returns them in order. A TABLE is NAME:TYPE:PARTS, void for ops without a type;
# the command ADD_PART sets up the target of each.
function(sm_tables worker namespace source add_part)
  string(REPLACE "-" "_" prefix syncmeter_${worker})
  set(declared)
  set(listed)
  foreach(table IN LISTS ARGN)
    string(REGEX MATCH "^([a-z0-9]+):(.*):([0-9]+)$" matched ${table})
    set(name ${CMAKE_MATCH_1})
    set(type ${CMAKE_MATCH_2})
    set(parts ${CMAKE_MATCH_3})
    math(EXPR last "${parts} - 1")
    foreach(part RANGE ${last})
      set(target ${prefix}_${name}_${part})
      add_library(${target} OBJECT ${source})
      target_compile_definitions(${target} PRIVATE
        SM_ROWS=rows_${name}_${part} SM_TYPE=${type} SM_PART=${part} SM_PARTS=${parts})
      cmake_language(CALL ${add_part} ${target})
      target_link_libraries(syncmeter-${worker} PRIVATE ${target})
      string(APPEND declared "std::vector<measurable> rows_${name}_${part}();\n")
      list(APPEND listed "&rows_${name}_${part}")
    endforeach()
  endforeach()
  string(JOIN ", " listed ${listed})
  set(all ${CMAKE_CURRENT_BINARY_DIR}/${worker}_rows.cpp)
  file(CONFIGURE OUTPUT ${all} CONTENT [[
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
  target_sources(syncmeter-${worker} PRIVATE ${all})
endfunction()
