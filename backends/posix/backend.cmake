# POSIX threads, and processes that share what POSIX lets them. What a lock guards does not change its cost: one
# type will do.
sm_backend(posix 40 WHEN_NAMED
  INSTALL "syncmeter anew with -DSM_POSIX=ON: it needs nothing but Linux"
  TABLES untyped:void:1 int32:std::int32_t:1)
sm_backend(posix-shared 50 WHEN_NAMED
  INSTALL "syncmeter anew with -DSM_POSIX=ON: it needs nothing but Linux"
  OPS ops/shared_table.hpp
  TABLES untyped:void:1 int32:std::int32_t:1)
option(SM_POSIX "Build the backend of POSIX threads (Linux)" ON)
if(SM_POSIX AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(found ON)
endif()
