# Run by the build: takes the census of WORKER by SYNCMETER, its table to TABLE, and keeps it as KEPT. Loops that are
# wrong (exit status 1) are named and left to the tests: a user's compiler may be one that nobody tried, and its
# worker measures all the same. A census that cannot be taken ends the build.
file(REMOVE ${KEPT})
execute_process(COMMAND ${SYNCMETER} census --backend ${WORKER} --save
                OUTPUT_FILE ${TABLE} ERROR_VARIABLE complaints RESULT_VARIABLE status)
if(NOT status MATCHES "^[01]$" OR NOT EXISTS ${KEPT})
  message(FATAL_ERROR "`syncmeter census --backend ${WORKER} --save` ended with ${status} and kept no census: ${complaints}")
elseif(status)
  message("The census of syncmeter-${WORKER} has loops that hold more or less than their ops declare: ${TABLE}")
endif()
