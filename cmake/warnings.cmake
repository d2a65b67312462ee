# sm_unity(TARGET N): its sources are compiled N at a time, so that their headers, and the templates of
# those, are compiled once for all. Names in anonymous namespaces must then differ within a target, and a
# name may shadow one of another file. SM_UNITY_TIMES multiplies N: the CI presets compile
# each source once, and a larger N saves half of the processor time. A job then needs 3 GiB.
set(SM_UNITY_TIMES 1 CACHE STRING "Compile so many times as many sources at a time")
function(sm_unity target sources_at_a_time)
  if(SM_UNITY)
    math(EXPR sources_at_a_time "${SM_UNITY_TIMES} * ${sources_at_a_time}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${sources_at_a_time})
    # Kernels are long to compile: each source beside the others.
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cu$")
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow> $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wshadow=local>)
  endif()
endfunction()

set(SM_COVERED "" CACHE FILEPATH "Functions that lead libFuzzer, as a list that clang++ reads; all without")
# Warnings for our own targets only; dependencies are SYSTEM.
function(sm_target name)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)  # GCC bug 105651: false alarm on std::string +
  endif()
  if(SM_WERROR)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
  if(SM_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${SM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${name} PUBLIC -fsanitize=${SM_SANITIZE})
    if(SM_COVERED)
      target_compile_options(${name} PRIVATE -fsanitize-coverage-allowlist=${SM_COVERED})
    endif()
  endif()
endfunction()
