# Lanes that are ranks of MPI.
sm_backend(mpi 70 WHEN_NAMED
  INSTALL "an MPI (Debian: libopenmpi-dev and openmpi-bin, or libmpich-dev and mpich), then build again"
  ON_REQUEST "mpi|an MPI with its launcher|libopenmpi-dev openmpi-bin|openmpi-devel|has_programs mpicxx mpiexec"
  TABLES untyped:void:1 int32:std::int32_t:1 uint64:std::uint64_t:1 float:float:1 double:double:1)
option(SM_MPI "Build the backend of MPI where an MPI is found" ON)
if(NOT SM_MPI)
  return()
endif()
set(MPI_CXX_SKIP_MPICXX ON)  # the C functions are called, not the bindings of MPI 2
# A runtime without headers (Debian: openmpi-bin alone) has the compiler wrapper, and FindMPI ends with an error.
find_program(MPI_CXX_COMPILER NAMES mpicxx mpic++)
set(without_headers OFF)
if(MPI_CXX_COMPILER)
  set(includes_mpi "${CMAKE_CURRENT_BINARY_DIR}/includes_mpi.cpp")
  file(WRITE "${includes_mpi}" "#include <mpi.h>\n")
  execute_process(COMMAND "${MPI_CXX_COMPILER}" -E "${includes_mpi}" RESULT_VARIABLE without_headers OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT without_headers)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(MPI_CXX_FOUND AND SM_HAS_STD)
  set(found ON)
elseif(NOT MPI_CXX_FOUND)
  message(STATUS "MPI: not found, so no backend `mpi`. Install one (Debian: libopenmpi-dev and openmpi-bin, or libmpich-dev and mpich), or name its compiler wrapper in MPI_CXX_COMPILER.")
else()
  message(STATUS "MPI: its cells are std::atomic_ref's, so no backend `mpi` without the backend `std`.")
endif()
