# Takes the census of BACKENDS, whose workers lie beside SYNCMETER, keeps it in FOLDER, and fails when a
# loop holds anything but what its op declares, or when the census looked at less than it claims.
cmake_minimum_required(VERSION 3.25)
get_filename_component(bin ${SYNCMETER} DIRECTORY)
# clang calls the runtime for every flush, and for every atomic that is not relaxed. No floating register
# lives through a call: what atomics of floating types keep on the stack is declared, but fences and locks of
# theirs, handoff and the ticket lock spill here and there, which no declaration can fit; of barrier_late
# and barrier_after_work it asks the runtime who it is once a trip. Those loops are left out by name, not let pass (docs/reference/backends.md).
# All that is of OpenMP; Kokkos' loops are held to everything by every compiler.
# A GPU's code has its own test, on the census that the build took.
set(selection --backend ${BACKENDS})
# What --type may name: all, or the types that the build has tables of (SM_TYPES).
set(integers int32 uint64)
set(floating float double)
if(TYPES)
  list(FILTER integers INCLUDE REGEX "^(${TYPES})$")
  list(FILTER floating INCLUDE REGEX "^(${TYPES})$")
endif()
string(JOIN "," integers ${integers})
string(JOIN "," floating ${floating})
if(BACKENDS MATCHES "^omp(-llvm)?$" AND COMPILER MATCHES "^Clang")
  string(JOIN "," ops barrier atomic_add atomic_sub atomic_fetch_add atomic_exchange atomic_read atomic_write
         atomic_write_two_lines plain_read plain_write plain_add critical_add critical_named_add lock_add
         lock_hint_none_add lock_hint_uncontended_add lock_hint_contended_add lock_hint_speculative_add
         nest_lock_add spin_lock_add fence fence_between_stores fence_between_adds control_aa
         control_multiply_1 control_multiply_2 control_multiply_4 control_multiply_8
         parallel_region region_after_gap region_around_work parallel_region_fewer
         region_after_resize nested_region first_region parallel_for
         reduction_sum reduction_max reduction_array reduction_declared for_static for_static_chunk for_dynamic
         for_guided for_nowait simd_reduction sections single single_copyprivate masked ordered task_by_one task_by_all taskwait
         taskgroup taskloop task_chain taskwait_by_one task_fan cancellation_point)
  if(floating)
    set(of_floating --backend ${BACKENDS} --type ${floating}
        --op atomic_add,atomic_sub,atomic_fetch_add,atomic_exchange,atomic_read,atomic_write)
  endif()
  list(APPEND selection --type ${integers} --op ${ops})
elseif(BACKENDS STREQUAL "omp" AND COMPILER MATCHES "^GNU (1[3-9]|[2-9][0-9])")
  # g++ 16 saves the floating addend of critical and lock across their calls once a step here, twice
  # there. g++ 12 is held to the floating types too.
  list(APPEND selection --type ${integers})
endif()
# Only workers of this build: another one on PATH is not what is tested.
set(ENV{PATH} "${bin}:/usr/local/bin:/usr/bin:/bin")
if(of_floating)
  execute_process(COMMAND ${SYNCMETER} census --check ${of_floating} OUTPUT_VARIABLE table RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "`syncmeter census --check` of floating types ended with ${status}:\n${table}")
  endif()
endif()
foreach(form IN ITEMS txt json)
  set(arguments census --check ${selection})
  if(form STREQUAL json)
    list(APPEND arguments --json)
  endif()
  execute_process(COMMAND ${SYNCMETER} ${arguments} OUTPUT_FILE ${FOLDER}/census.${form}
                  ERROR_VARIABLE complaints RESULT_VARIABLE status_${form})
endforeach()
file(READ ${FOLDER}/census.txt table)
message("${COMPILER}: ${FOLDER}/census.txt\n${table}${complaints}")
if(NOT status_txt EQUAL 0)
  string(REGEX MATCHALL "[^\n]*: (wrong|not proven): [^\n]*|[^\n]* not declared" defects "${table}")
  string(JOIN "\n" defects ${defects})
  message(FATAL_ERROR "`syncmeter census --check` ended with ${status_txt}:\n${defects}\n${complaints}")
endif()
if(NOT status_json EQUAL status_txt)
  message(FATAL_ERROR "--json ended with ${status_json}, the table with ${status_txt}: ${complaints}")
endif()

# The two forms are read back and compared: what the table shows must be all there is.
file(READ ${FOLDER}/census.json json)
string(JSON workers LENGTH "${json}" workers)
set(entries 0)
set(proven 0)
math(EXPR last_worker "${workers} - 1")
foreach(w RANGE ${last_worker})
  string(JSON list GET "${json}" workers ${w} entries)
  string(JSON count LENGTH "${list}")
  math(EXPR entries "${entries} + ${count}")
  string(REGEX MATCHALL "\"verdict\" : \"proven\"" found "${list}")
  list(LENGTH found found)
  math(EXPR proven "${proven} + ${found}")
endforeach()
string(REGEX MATCHALL "([0-9]+) entries: " totals "${table}")
set(shown 0)
foreach(total IN LISTS totals)
  string(REGEX MATCH "^[0-9]+" number "${total}")
  math(EXPR shown "${shown} + ${number}")
endforeach()
if(entries EQUAL 0 OR NOT entries EQUAL shown)
  message(FATAL_ERROR "the JSON holds ${entries} entries, the table ${shown}")
endif()
if(proven LESS 10)
  message(FATAL_ERROR "only ${proven} of ${entries} entries are proven: too few to be the real table")
endif()
message("${entries} entries, ${proven} proven")
