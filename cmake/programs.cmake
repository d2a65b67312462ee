# The target `programs`: the driver and every worker that can be built here, and no test.
function(sm_add_programs_of directory)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      add_dependencies(programs ${target})
    endif()
  endforeach()
  get_property(children DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS children)
    sm_add_programs_of(${child})
  endforeach()
endfunction()

add_custom_target(programs)
sm_add_programs_of(${CMAKE_SOURCE_DIR}/driver)
sm_add_programs_of(${CMAKE_SOURCE_DIR}/backends)
if(SM_HAS_OMP_LLVM)
  add_dependencies(programs syncmeter-omp-llvm)
endif()

# Each worker with its census as a target of its own, worker-NAME, and their names in workers.txt: so that
# scripts/run builds what a command measures with.
set(workers)
foreach(worker IN ITEMS omp omp-llvm std posix posix-shared libraries mpi cuda kokkos)
  if(TARGET syncmeter-${worker})
    add_custom_target(worker-${worker} DEPENDS syncmeter-${worker})
    list(APPEND workers ${worker})
  endif()
endforeach()
string(REPLACE ";" "\n" workers "${workers}")
file(WRITE ${CMAKE_BINARY_DIR}/workers.txt "${workers}\n")

# What the loops of a worker compiled to, kept beside it: `run` stores it with its measurements, and
# leaves out of a GPU's what the compiler elided.
function(sm_keep_census backend_worker disassembler package)
  if(NOT TARGET syncmeter-${backend_worker})
    return()
  endif()
  find_program(SM_${disassembler} ${disassembler} HINTS ${CUDAToolkit_BIN_DIR})
  if(NOT SM_${disassembler})
    message(STATUS "${disassembler} not found, so what syncmeter-${backend_worker} compiled to is not proven. "
                   "It is part of ${package}.")
    return()
  endif()
  get_filename_component(folder ${SM_${disassembler}} DIRECTORY)
  # A worker of host loops may have kernels too.
  find_program(SM_cuobjdump cuobjdump HINTS ${CUDAToolkit_BIN_DIR})
  if(SM_cuobjdump)
    get_filename_component(cuda_folder ${SM_cuobjdump} DIRECTORY)
    string(PREPEND folder "${cuda_folder}:")
  endif()
  set(kept ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/syncmeter-${backend_worker}.census.json)
  set(table ${CMAKE_BINARY_DIR}/${backend_worker}_census.txt)
  # A loop that is wrong is the tests' affair, and no reason to have no worker.
  add_custom_command(OUTPUT ${kept}
    COMMAND ${CMAKE_COMMAND} -E env "PATH=${folder}:$ENV{PATH}"
            $<TARGET_FILE:syncmeter> census --backend ${backend_worker} --save > ${table} || ${CMAKE_COMMAND} -E true
    DEPENDS syncmeter syncmeter-${backend_worker} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/syncmeter-${backend_worker}
    COMMENT "Taking the census of syncmeter-${backend_worker} (${backend_worker}_census.txt)" VERBATIM)
  add_custom_target(${backend_worker}_census ALL DEPENDS ${kept})
  add_dependencies(programs ${backend_worker}_census)
  add_dependencies(worker-${backend_worker} ${backend_worker}_census)
endfunction()
sm_keep_census(omp objdump binutils)
sm_keep_census(omp-llvm objdump binutils)
sm_keep_census(std objdump binutils)
sm_keep_census(posix objdump binutils)
sm_keep_census(posix-shared objdump binutils)
sm_keep_census(libraries objdump binutils)
sm_keep_census(mpi objdump binutils)
sm_keep_census(kokkos objdump binutils)
sm_keep_census(cuda cuobjdump "the CUDA Toolkit; PyPI has it as nvidia-cuda-cuobjdump, with nvidia-cuda-nvdisasm")
