# Kokkos: a backend for each execution space that it was built with. SM_KOKKOS_SPACES: those on the host, as in
# Kokkos::NAME.
sm_backend(kokkos 90 SEVERAL
  INSTALL "Kokkos 4.6 or newer (Debian: libkokkos-dev, or Kokkos_ROOT where it was installed), then build again"
  ON_REQUEST "kokkos|Kokkos 4.6 or newer|libkokkos-dev|kokkos-devel|has_kokkos")
option(SM_KOKKOS "Build the Kokkos backends where Kokkos is found" ON)
if(NOT SM_KOKKOS)
  return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/debian_kokkos.cmake)
# Without a version, to tell one that is too old from none. separable_compilation: where it was built
# with CUDA, Kokkos must not pass every compiler call of this project through its own launcher.
find_package(Kokkos QUIET COMPONENTS separable_compilation)

set(SM_KOKKOS_SPACES)
foreach(space IN ITEMS OpenMP Threads Serial)
  string(TOUPPER ${space} device)
  if(Kokkos_ENABLE_${device})
    list(APPEND SM_KOKKOS_SPACES ${space})
  endif()
endforeach()

set(problem)
if(NOT Kokkos_FOUND)
  set(problem "not found, so no backend `kokkos-*`. Install Kokkos 4.6 or newer (Debian: libkokkos-dev), or set Kokkos_ROOT to where it is installed.")
elseif(Kokkos_VERSION VERSION_LESS 4.6 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6)
  set(problem "${Kokkos_DIR} is version ${Kokkos_VERSION}, so no backend `kokkos-*`: 4.6 to 5 is supported. Set Kokkos_ROOT to one of these.")
elseif(Kokkos_ENABLE_CUDA AND NOT CMAKE_CUDA_COMPILER)
  # Its headers compile by nvcc only, those of the host spaces in such a Kokkos too.
  set(problem "${Kokkos_DIR} was built with CUDA, and there is no nvcc 12 or newer to use it with, so no backend `kokkos-*`. Install the CUDA Toolkit, or set Kokkos_ROOT to one that was built without.")
elseif(NOT SM_KOKKOS_SPACES)
  set(problem "${Kokkos_DIR} has none of the execution spaces OpenMP, Threads and Serial (it has: ${Kokkos_DEVICES}), so no backend `kokkos-*`. Set Kokkos_ROOT to one that has.")
elseif(Kokkos_ENABLE_OPENMP AND NOT Kokkos_ENABLE_CUDA AND NOT Kokkos_CXX_COMPILER_ID STREQUAL CMAKE_CXX_COMPILER_ID)
  # Two OpenMP runtimes in one process know nothing of each other's threads.
  set(problem "${Kokkos_DIR} was built by ${Kokkos_CXX_COMPILER_ID}, and ${CMAKE_CXX_COMPILER_ID} has another OpenMP runtime, so no backend `kokkos-*`. Set Kokkos_ROOT to one that was built by ${CMAKE_CXX_COMPILER_ID}.")
endif()
# The GPUs that it was built for are those that this worker can be for.
set(SM_KOKKOS_CUDA_ARCHITECTURES)
foreach(architecture IN LISTS Kokkos_CUDA_ARCHITECTURES)
  list(APPEND SM_KOKKOS_CUDA_ARCHITECTURES ${architecture}-real)
endforeach()
# Kokkos asks for the driver's library, which a machine to build on need not have.
if(Kokkos_ENABLE_CUDA AND NOT TARGET CUDA::cuda_driver)
  add_library(CUDA::cuda_driver INTERFACE IMPORTED)
endif()
if(problem)
  message(STATUS "Kokkos: ${problem}")
else()
  set(found ON)
  # Their code is a CPU's.
  string(TOLOWER "${SM_KOKKOS_SPACES}" backends)
  list(TRANSFORM backends PREPEND kokkos-)
  string(JOIN "," backends ${backends})
  set_property(GLOBAL PROPERTY sm_host_backends_of_kokkos ${backends})
endif()
unset(problem)
