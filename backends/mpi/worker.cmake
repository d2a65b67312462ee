# The worker of MPI: what cmake/add_worker.cmake adds to `target`, by `name`, `ops` and the tables.
foreach(source IN ITEMS main.cpp mpi_rank.cpp mpi_team.cpp rank_link.cpp supervisor.cpp ../std/std_census.cpp)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${source})
endforeach()
sm_loop_target(${target} ${name} ${SM_UNROLLED_LIBRARY_FLAGS})
target_compile_options(${target} PRIVATE ${SM_UNROLLED_LIBRARY_FLAGS})
# A false alarm in the text buffers of fmt.
target_compile_options(${target} PRIVATE
  "$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:${CMAKE_CXX_COMPILER_VERSION},13>>:-Wno-stringop-overflow>")
target_compile_definitions(${target} PRIVATE SM_MPIEXEC="${MPIEXEC_EXECUTABLE}")
target_link_libraries(${target} PRIVATE MPI::MPI_CXX)
# Ranks call functions and read tables at the addresses where rank 0 has them: the program has to be loaded at
# the same address in each.
target_link_options(${target} PRIVATE -no-pie)
sm_tables(${target} mpi backends/mpi/mpi_backend.hpp ${ops} .cpp ${ARGN})
