# Build rules shared by all folders: compiler settings and myr_layer(), which turns a folder of src/ into a
# target, its tests into one test program, and its allowed includes into link dependencies.
include(GNUInstallDirs)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(doctest REQUIRED)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set_property(GLOBAL PROPERTY GLOBAL_DEPENDS_NO_CYCLES ON)

# Warnings and the like for our own code.
add_library(myr_settings INTERFACE)
target_compile_options(myr_settings INTERFACE -Wall -Wextra -Wshadow -fvisibility=hidden
                                              $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)

# The public headers.
add_library(myr_headers INTERFACE)
target_include_directories(myr_headers INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# myr_layer(NAME SOURCES ... TESTS ... DEPENDS layer... LIBRARIES target...)
function(myr_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;TESTS;DEPENDS;LIBRARIES" ${ARGN})
  list(TRANSFORM arg_DEPENDS PREPEND myr_ OUTPUT_VARIABLE links)
  if(arg_SOURCES)
    add_library(myr_${name} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(myr_${name} PRIVATE myr_settings)
  else()
    add_library(myr_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(myr_${name} ${scope} "${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(myr_${name} ${scope} myr_headers ${links} ${arg_LIBRARIES})
  if(arg_TESTS)
    add_executable(myr_${name}_test ${arg_TESTS} "${CMAKE_SOURCE_DIR}/tests/doctest_main.cpp")
    target_link_libraries(myr_${name}_test PRIVATE myr_${name} myr_settings doctest::doctest)
    add_test(NAME unit.${name} COMMAND myr_${name}_test)
  endif()
endfunction()
