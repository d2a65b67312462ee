# The manifests, backends/*/backend.cmake: each is the only place that names its backends. Here they are read, and
# what the driver knows of backends without asking a worker is made of them (known_backends.inc).
#
# A manifest calls sm_backend() for each worker of its folder, then finds what they need, and sets `found` where
# they can be built. Its workers are made by sm_add_own_worker(), or by a CMakeLists.txt in the folder.

# sm_backend(NAME PLACE OPTION...): a line by itself that begins so, as scripts and tests read it too. PLACE orders
# the lists of backends, and what is found: a manifest may use what those before it found (SM_HAS_FOLDER).
#   INSTALL TEXT       what a machine without it has to install
#   WHEN_NAMED         --backend must name it where another can be used: what is built everywhere must not make
#                      every study longer
#   SEVERAL            its worker has backends whose names begin with it
#   ON_REQUEST LINE    what SM_WITH installs, as in scripts/lib/setup.sh: a line by itself too
#   LANES FOLDER       whose lanes it measures on (default: its own), as FOLDER/worker.cmake builds them
#   OPS HEADER         the list of its ops (default: ops/table.hpp)
#   TABLES TABLE...    as sm_tables() takes them
#   DISASSEMBLER NAME  what its census needs (default: objdump)
function(sm_backend name place)
  cmake_parse_arguments(PARSE_ARGV 2 arg "WHEN_NAMED;SEVERAL" "INSTALL;ON_REQUEST;LANES;OPS;DISASSEMBLER" "TABLES")
  if(NOT place MATCHES "^[0-9]+$" OR NOT arg_INSTALL OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sm_backend(${name}) takes NAME PLACE INSTALL TEXT and the options of cmake/backends.cmake")
  endif()
  foreach(default IN ITEMS LANES:${folder} OPS:ops/table.hpp DISASSEMBLER:objdump)
    string(REGEX MATCH "^([A-Z]+):(.*)$" matched ${default})
    if(NOT arg_${CMAKE_MATCH_1})
      set(arg_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
  endforeach()
  foreach(member IN ITEMS LANES OPS TABLES DISASSEMBLER)
    set_property(GLOBAL PROPERTY sm_backend_${name}_${member} "${arg_${member}}")
  endforeach()
  set_property(GLOBAL PROPERTY sm_backend_${name}_FOLDER ${folder})
  set_property(GLOBAL APPEND PROPERTY sm_workers_of_${folder} ${name})
  set(flags)
  foreach(flag IN ITEMS WHEN_NAMED SEVERAL)
    if(arg_${flag})
      string(TOLOWER ", .${flag} = true" flag)
      string(APPEND flags ${flag})
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY sm_known_backends
    "${place} ${name} {.name = \"${name}\", .install = \"${arg_INSTALL}\"${flags}},")
endfunction()

set(SM_TYPES "" CACHE STRING "Compile a CPU worker's tables of typed ops for these types alone (\"int32;double\"), for tests (default: all)")
foreach(type IN LISTS SM_TYPES)
  if(NOT type MATCHES "^(int32|uint64|float|double)$")
    message(FATAL_ERROR "SM_TYPES has '${type}'; allowed: int32, uint64, float, double")
  endif()
endforeach()

# The worker NAME of this project, by its manifest.
function(sm_add_own_worker name)
  foreach(member IN ITEMS FOLDER LANES OPS TABLES)
    get_property(${member} GLOBAL PROPERTY sm_backend_${name}_${member})
  endforeach()
  if(SM_TYPES AND NOT LANES STREQUAL "cuda")  # which has SM_CUDA_TYPES
    string(REPLACE ";" "|" types "${SM_TYPES}")
    list(FILTER TABLES INCLUDE REGEX "^(untyped|${types}):")
  endif()
  sm_add_worker(${name} ${LANES} backends/${FOLDER}/${OPS} false ${TABLES})
endfunction()

set(SM_BACKENDS "" CACHE STRING "Folders of the backends to build, where what they need is found (default: all)")
# In the order of their first workers.
file(GLOB manifests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/backends/*/backend.cmake)
set(in_order)
foreach(manifest IN LISTS manifests)
  file(STRINGS ${manifest} calls REGEX "^sm_backend\\([a-z0-9-]+ [0-9]+")
  list(GET calls 0 call)
  string(REGEX REPLACE "^sm_backend\\([a-z0-9-]+ ([0-9]+).*$" "\\1" place "${call}")
  list(APPEND in_order "${place} ${manifest}")
endforeach()
list(SORT in_order COMPARE NATURAL)
list(TRANSFORM in_order REPLACE "^[0-9]+ " "")
set(SM_FOUND_BACKENDS)
foreach(manifest IN LISTS in_order)
  cmake_path(GET manifest PARENT_PATH folder)
  cmake_path(GET folder FILENAME folder)
  if(SM_BACKENDS AND NOT folder IN_LIST SM_BACKENDS)
    continue()
  endif()
  set(found OFF)
  include(${manifest})
  string(TOUPPER SM_HAS_${folder} has)
  set(${has} ${found})
  if(found)
    list(APPEND SM_FOUND_BACKENDS ${folder})
  endif()
endforeach()
get_property(known_backends GLOBAL PROPERTY sm_known_backends)
list(SORT known_backends COMPARE NATURAL)
set(SM_WORKERS ${known_backends})
list(TRANSFORM SM_WORKERS REPLACE "^[0-9]+ ([a-z0-9-]+) .*$" "\\1")
list(TRANSFORM known_backends REPLACE "^[0-9]+ [a-z0-9-]+ " "")
string(JOIN "\n" known_backends ${known_backends})
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/known_backends.inc CONTENT "// Made by cmake/backends.cmake.\n@known_backends@\n" @ONLY)
# Names that no worker of a user may have; installed beside add_worker.cmake.
string(JOIN "|" SM_OWN_WORKERS ${SM_WORKERS} "kokkos.*" report)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/installed/own_workers.cmake CONTENT "set(SM_OWN_WORKERS \"@SM_OWN_WORKERS@\")\n" @ONLY)
unset(folder)
unset(found)
