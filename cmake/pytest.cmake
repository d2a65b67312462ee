# SM_PYTHON: a Python of at least 3.11 that can import pytest. The first python3 on PATH need not be
# one (a version manager's, an active virtual environment); then the system's is asked.
if(NOT SM_PYTHON)
  find_program(python_on_path python3)
  foreach(candidate IN ITEMS ${python_on_path} /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import sys, pytest; sys.exit(sys.version_info < (3, 11))"
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(SM_PYTHON ${candidate} CACHE FILEPATH "Python 3.11 or newer with pytest")
      break()
    endif()
  endforeach()
  if(NOT SM_PYTHON)
    message(FATAL_ERROR "Tests need Python 3.11 or newer with pytest (Debian: python3-pytest). "
                        "Set SM_PYTHON to one, or SM_TESTS=OFF.")
  endif()
endif()

# Bytecode goes into the build folder. Without any, each test compiled again what it imports: half of its time.
set(SM_PYTHON_CACHE "PYTHONDONTWRITEBYTECODE=;PYTHONPYCACHEPREFIX=${CMAKE_BINARY_DIR}/pycache")

# A test of its own for each test_*.py of this folder, named KIND.test_... and given SYNCMETER_BIN, with
# what else the environment has to hold.
function(sm_pytest_files kind timeout)
  list(TRANSFORM ARGN PREPEND ";" OUTPUT_VARIABLE more)
  file(GLOB cases CONFIGURE_DEPENDS test_*.py)
  foreach(case IN LISTS cases)
    get_filename_component(name ${case} NAME_WE)
    add_test(NAME ${kind}.${name} COMMAND ${SM_PYTHON} -m pytest -q -p no:cacheprovider ${case})
    set_tests_properties(${kind}.${name} PROPERTIES TIMEOUT ${timeout} ENVIRONMENT
      "SYNCMETER_BIN=$<TARGET_FILE_DIR:syncmeter>;${SM_PYTHON_CACHE}${more}")
  endforeach()
endfunction()
