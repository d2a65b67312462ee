# Kokkos' CUDA space, in the worker of the host spaces: kernels that Kokkos launches, on the rig of the
# CUDA backend.
set(CMAKE_CUDA_ARCHITECTURES ${SM_KOKKOS_CUDA_ARCHITECTURES})
include(cuda_flags)

add_library(syncmeter_kokkos_cuda_rig OBJECT ${cuda_rig_sources} kokkos_cuda_driver.cpp
            kokkos_device_census.cpp kokkos_device_launch.cpp kokkos_launch_rules.cpp)
sm_cuda_target(syncmeter_kokkos_cuda_rig)
# Loops of the host's lane are compiled as those of the CPU workers are, whatever the build type.
set_source_files_properties(kokkos_device_launch.cpp PROPERTIES COMPILE_OPTIONS "${SM_LOOP_FLAGS}")
target_link_libraries(syncmeter-kokkos PRIVATE syncmeter_kokkos_cuda_rig)
# Kokkos has flags for a link by nvcc that call themselves the C++ compiler's.
set_target_properties(syncmeter-kokkos PROPERTIES LINKER_LANGUAGE CUDA)
# The driver's functions are looked for when they are called.
target_link_options(syncmeter-kokkos PRIVATE -Wl,--build-id -Wl,--as-needed)

function(sm_kokkos_device_target name)
  sm_cuda_target(${name})
  target_link_libraries(${name} PRIVATE Kokkos::kokkos)
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-extended-lambda;-Xcompiler=${OpenMP_CXX_FLAGS}>)
  target_compile_definitions(${name} PRIVATE SM_LANES_ALONG_Y)
  target_link_libraries(syncmeter-kokkos PRIVATE ${name})
endfunction()

foreach(row untyped:void int32:std::int32_t uint32:std::uint32_t uint64:std::uint64_t float:float double:double)
  string(REGEX MATCH "^([a-z0-9]+):(.*)$" matched ${row})
  set(table syncmeter_kokkos_cuda_${CMAKE_MATCH_1})
  add_library(${table} OBJECT kokkos_device_table.cu)
  target_compile_definitions(${table} PRIVATE SM_TYPE=${CMAKE_MATCH_2})
  sm_kokkos_device_target(${table})
endforeach()
