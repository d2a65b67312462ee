# How GPU kernels are compiled: with fixed flags whatever the build type. What is measured must not
# change with CMAKE_BUILD_TYPE.
find_package(CUDAToolkit 12 REQUIRED)
# What takes samples of kernels, whichever API launches them.
set(cuda_rig_sources
    runtime/cuda_check.cpp runtime/cuda_device.cpp runtime/nvml.cpp runtime/peer_devices.cpp lane/cuda_cells.cu
    rig/architectures.cpp rig/cuda_census.cpp rig/cuda_rig.cpp rig/cuda_sample.cpp rig/cuda_verdict.cpp rig/device_objects.cpp
    rig/gpu_rig.cpp rig/host_loop.cpp
    worker/cuda_worker.cpp)
list(TRANSFORM cuda_rig_sources PREPEND ${SM_WORKER_SOURCES}/backends/cuda/)
set(cuda_flags -O3 --expt-relaxed-constexpr)
# The host's part of a kernel only launches it.
set(host_flags -Xcompiler=-Wall,-Wextra,-O1)
# The census finds a kernel by the symbol of its stub, which newer compilers would hide.
include(CheckCompilerFlag)
foreach(option static-global-template-stub device-entity-has-hidden-visibility)
  string(MAKE_C_IDENTIFIER SM_CUDA_HAS_${option} has)
  check_compiler_flag(CUDA "-${option}=false" ${has})
  if(${has})
    list(APPEND cuda_flags -${option}=false)
  endif()
endforeach()
string(JOIN " " cuda_flags_text ${cuda_flags})
# Messages name a source by its place in the project: where it was built is nobody's affair. Both compilers of
# the host's code have the option since g++ 8 and clang++ 10. nvcc hands on no path with a blank or a comma.
set(named_from_here -fmacro-prefix-map=${SM_WORKER_SOURCES}/=)
if(NOT SM_WORKER_SOURCES MATCHES "[ ,]")
  list(APPEND host_flags -Xcompiler=${named_from_here})
endif()
set(architectures ${CMAKE_CUDA_ARCHITECTURES})
if(architectures STREQUAL "native")
  set(architectures ${CMAKE_CUDA_ARCHITECTURES_NATIVE})
endif()
string(REPLACE ";" "," architectures "${architectures}")
string(REGEX REPLACE "-real|-virtual" "" architectures "${architectures}")

function(sm_cuda_target name)
  target_link_libraries(${name} PRIVATE syncmeter::core CUDA::cudart_static)
  set_target_properties(${name} PROPERTIES CUDA_STANDARD 20 CUDA_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags};${host_flags}>"
    "$<$<COMPILE_LANGUAGE:CXX>:${named_from_here};-Wall;-Wextra;-Wconversion;-Wshadow;$<$<BOOL:${SM_WERROR}>:-Werror>>")
  target_compile_definitions(${name} PRIVATE
    SM_COMPILER="NVIDIA ${CMAKE_CUDA_COMPILER_VERSION}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    SM_FLAGS="${cuda_flags_text} sm_${architectures}" SM_CUDA_ARCHITECTURES="${architectures}")
endfunction()
