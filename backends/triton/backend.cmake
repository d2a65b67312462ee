# Triton. Its compiler needs no GPU and no CUDA Toolkit.
sm_backend(triton 100
  INSTALL "Triton (`pip install triton`, about 200 MB) for the python3 on PATH, or name a Python that has it in SM_TRITON_PYTHON, then build again"
  DISASSEMBLER cuobjdump)
option(SM_TRITON "Make the backend of Triton where a Python that has it is found" ON)
find_program(SM_TRITON_PYTHON python3)
if(NOT SM_TRITON OR NOT SM_TRITON_PYTHON)
  return()
endif()
execute_process(
  COMMAND ${SM_TRITON_PYTHON} -c "import importlib.util; raise SystemExit(not importlib.util.find_spec('triton'))"
  RESULT_VARIABLE lacks_triton OUTPUT_QUIET ERROR_QUIET)
if(lacks_triton EQUAL 0)
  set(found ON)
else()
  message(STATUS "Triton: ${SM_TRITON_PYTHON} has none, so no backend `triton`. `pip install triton` brings it, or name another Python in SM_TRITON_PYTHON.")
endif()
