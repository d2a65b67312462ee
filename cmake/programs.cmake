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
sm_add_programs_of(${CMAKE_SOURCE_DIR}/cli)
sm_add_programs_of(${CMAKE_SOURCE_DIR}/backends)

# What the GPU code of a worker compiled to, kept beside it: `run` stores it with its measurements, and
# leaves out what the compiler elided.
if(TARGET syncmeter-cuda)
  find_program(SM_CUOBJDUMP cuobjdump HINTS ${CUDAToolkit_BIN_DIR})
  if(SM_CUOBJDUMP)
    get_filename_component(disassemblers ${SM_CUOBJDUMP} DIRECTORY)
    set(kept ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/syncmeter-cuda.census.json)
    add_custom_command(OUTPUT ${kept}
      COMMAND ${CMAKE_COMMAND} -E env "PATH=${disassemblers}:$ENV{PATH}"
              $<TARGET_FILE:syncmeter> census --backend cuda --save > ${CMAKE_BINARY_DIR}/cuda_census.txt
      DEPENDS syncmeter syncmeter-cuda
      COMMENT "Taking the census of the CUDA worker (cuda_census.txt)" VERBATIM)
    add_custom_target(cuda_census ALL DEPENDS ${kept})
    add_dependencies(programs cuda_census)
  else()
    message(STATUS "CUDA: cuobjdump not found, so what the kernels compiled to is not proven. It is part of "
                   "the CUDA Toolkit; PyPI has it as nvidia-cuda-cuobjdump, with nvidia-cuda-nvdisasm.")
  endif()
endif()
