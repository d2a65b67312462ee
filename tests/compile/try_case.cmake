# Compiles SOURCE, without or with its mistake. With it, the compiler must fail and its output must match
# the pattern in the source's line "// expect: PATTERN".
cmake_policy(VERSION 3.25)
file(STRINGS ${SOURCE} line REGEX "^// expect: " LIMIT_COUNT 1)
string(REGEX REPLACE "^// expect: " "" pattern "${line}")
if(pattern STREQUAL "")
  message(FATAL_ERROR "${SOURCE} has no line '// expect: PATTERN'")
endif()

set(options -std=c++20 -Wall -Wextra -Werror -Wno-unused-const-variable -I${INCLUDE} -S -o /dev/null)
if(MISTAKE STREQUAL "with")
  list(APPEND options -DSM_MISTAKE)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${COMPILER} ${options} ${SOURCE}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(MISTAKE STREQUAL "without")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "must compile, but:\n${output}")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "must be rejected, but compiles")
elseif(NOT output MATCHES "${pattern}")
  message(FATAL_ERROR "rejected, but without '${pattern}':\n${output}")
endif()
