# Compiles through ccache where that is installed, unless a launcher was chosen (or CCACHE_DISABLE is set).
foreach(language IN ITEMS CXX CUDA)
  if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER AND NOT DEFINED ENV{CMAKE_${language}_COMPILER_LAUNCHER})
    find_program(SM_CCACHE ccache)
    if(SM_CCACHE)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${SM_CCACHE})
    endif()
  endif()
endforeach()
