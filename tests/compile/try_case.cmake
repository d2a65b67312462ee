# Compiles SOURCE, without its mistake or with it (or with its mistake N: withN). With it, the compiler must fail and its
# output must match the pattern in the source's line "// expect: PATTERN" (or "// expect N: PATTERN").
cmake_policy(VERSION 3.25)
string(REGEX REPLACE "^with(out)?" "" number ${MISTAKE})
string(REGEX REPLACE "(.+)" " \\1" expect "${number}")
file(STRINGS ${SOURCE} line REGEX "^// expect${expect}: " LIMIT_COUNT 1)
string(REGEX REPLACE "^// expect${expect}: " "" pattern "${line}")

set(options -std=c++20 -Wall -Wextra -Werror -Wno-unused-const-variable -I${INCLUDE} -S -o /dev/null)
if(NOT MISTAKE STREQUAL "without")
  list(APPEND options -DSM_MISTAKE=${number})
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
