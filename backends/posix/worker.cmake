# A worker of POSIX threads: what cmake/add_worker.cmake adds to `target`, by `name`, `ops` and the tables.
foreach(source IN ITEMS main.cpp posix_census.cpp posix_channels.cpp posix_kernel.cpp posix_locks.cpp)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${source})
endforeach()
sm_loop_target(${target} ${name})
sm_tables(${target} posix backends/posix/posix_backend.hpp ${ops} .cpp ${ARGN})
if(name STREQUAL "posix-shared")
  target_compile_definitions(${target} PRIVATE SM_LANES_ARE_PROCESSES=true)
endif()
