# What is needed and what is optional. A missing part is named with what to install; nothing is downloaded.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)  # Boost by its own configuration: CMake has no module for it any more
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc>=2.9)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd>=1.4)
find_package(OpenMP COMPONENTS CXX)  # of more than one backend
