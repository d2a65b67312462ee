# A worker of C++20 threads: what cmake/add_worker.cmake adds to `target`, by `name`, `ops` and the tables.

# So many copies of one function of the library stand in a loop that g++ would inline the first ones
# only, and call the rest; where it would stop depends on how much else the translation unit holds.
set(std_flags)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(std_flags --param=large-function-growth=10000 --param=inline-unit-growth=10000)
endif()
foreach(source IN ITEMS main.cpp std_calls.cpp std_steps.cpp)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${source})
endforeach()
if(NOT user_ops)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/std_census.cpp)
endif()
sm_loop_target(${target} ${name} ${std_flags})
target_compile_options(${target} PRIVATE ${std_flags})
sm_tables(${target} standard backends/std/std_backend.hpp ${ops} .cpp ${ARGN})
