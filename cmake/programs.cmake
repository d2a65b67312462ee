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
if(TARGET syncmeter-probe)
  add_dependencies(programs syncmeter-probe)
endif()
foreach(model IN ITEMS lock-model lock-model-openmp)
  if(TARGET ${model})
    add_dependencies(programs ${model})
  endif()
endforeach()

# Each worker with its census as a target of its own, worker-NAME, and their names in workers.txt: so that
# scripts/run builds what a command measures with.
set(workers)
foreach(worker IN LISTS SM_WORKERS)
  if(TARGET syncmeter-${worker})
    add_custom_target(worker-${worker} DEPENDS syncmeter-${worker})
    add_dependencies(programs syncmeter-${worker})
    list(APPEND workers ${worker})
  endif()
endforeach()
string(REPLACE ";" "\n" lines "${workers}")
file(WRITE ${CMAKE_BINARY_DIR}/workers.txt "${lines}\n")

# What the loops of a worker compiled to, kept beside it: `run` stores it with its measurements, and
# leaves out of a GPU's what the compiler elided.
set(package_of_objdump binutils)
set(package_of_cuobjdump "the CUDA Toolkit; PyPI has it as nvidia-cuda-cuobjdump, with nvidia-cuda-nvdisasm")
function(sm_keep_census worker)
  get_property(disassembler GLOBAL PROPERTY sm_backend_${worker}_DISASSEMBLER)
  find_program(SM_${disassembler} ${disassembler} HINTS ${CUDAToolkit_BIN_DIR})
  if(NOT SM_${disassembler})
    message(STATUS "${disassembler} not found, so what syncmeter-${worker} compiled to is not proven. "
                   "It is part of ${package_of_${disassembler}}.")
    return()
  endif()
  get_filename_component(folder ${SM_${disassembler}} DIRECTORY)
  # A worker of host loops may have kernels too.
  find_program(SM_cuobjdump cuobjdump HINTS ${CUDAToolkit_BIN_DIR})
  if(SM_cuobjdump)
    get_filename_component(cuda_folder ${SM_cuobjdump} DIRECTORY)
    string(PREPEND folder "${cuda_folder}:")
  endif()
  set(kept ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/syncmeter-${worker}.census.json)
  add_custom_command(OUTPUT ${kept}
    COMMAND ${CMAKE_COMMAND} -E env "PATH=${folder}:$ENV{PATH}"
            ${CMAKE_COMMAND} -DSYNCMETER=$<TARGET_FILE:syncmeter> -DWORKER=${worker} -DKEPT=${kept}
                             -DTABLE=${CMAKE_BINARY_DIR}/${worker}_census.txt -P ${CMAKE_SOURCE_DIR}/cmake/keep_census.cmake
    DEPENDS syncmeter syncmeter-${worker} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/syncmeter-${worker}
            ${CMAKE_SOURCE_DIR}/cmake/keep_census.cmake
    COMMENT "Taking the census of syncmeter-${worker} (${worker}_census.txt)" VERBATIM)
  add_custom_target(${worker}_census ALL DEPENDS ${kept})
  add_dependencies(programs ${worker}_census)
  add_dependencies(worker-${worker} ${worker}_census)
endfunction()
if(CMAKE_CROSSCOMPILING)
  message(STATUS "Workers of another machine cannot be asked here, so what they compiled to is not proven.")
else()
  foreach(worker IN LISTS workers)
    sm_keep_census(${worker})
  endforeach()
endif()
