# Build rules shared by all folders: compiler settings and myr_layer(), which turns a folder of src/ into a
# target, its tests into one test program, and its allowed includes into link dependencies.
include(GNUInstallDirs)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(doctest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET GLOBAL hwloc)
# tools/setup makes the virtual environment; without it only the tests of kernels with scripts fail.
if(EXISTS "${CMAKE_SOURCE_DIR}/.cache/venv/bin/python")
  set(Python3_EXECUTABLE "${CMAKE_SOURCE_DIR}/.cache/venv/bin/python")
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

option(MYR_CHECKED "Compile the costly checks (MYR_DCHECK) in" OFF)
option(MYR_LTO "Optimise the runtime across its files" OFF)
option(MYR_MODEL "Build the model tests: lock-free code under the interleaving explorer" OFF)
option(MYR_KERNELS "Build the kernels" ON)
option(MYR_BENCH "Build the benchmarks, and their rivals that are installed" ON)
add_custom_target(models COMMENT "All model tests")

set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set_property(GLOBAL PROPERTY GLOBAL_DEPENDS_NO_CYCLES ON)

# Warnings and the like for our own code. Designated initialisers may leave members out.
add_library(myr_settings INTERFACE)
target_compile_options(myr_settings INTERFACE
  -Wall -Wextra -Wshadow -Wno-missing-field-initializers -fvisibility=hidden
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
target_compile_definitions(myr_settings INTERFACE
  $<$<BOOL:${MYR_CHECKED}>:MYR_CHECKED=1> $<$<BOOL:${MYR_MODEL}>:MYR_MODEL=1>)

# For the code inside libmyrmidon only. Thread-local variables of a shared library would otherwise cost a
# call each; the archive must also serve compilers that do not read GCC's LTO data, hence fat objects.
add_library(myr_inside INTERFACE)
target_compile_options(myr_inside INTERFACE
  -ftls-model=initial-exec $<$<BOOL:${MYR_LTO}>:-flto=auto$<SEMICOLON>-ffat-lto-objects>)

# For files that are mostly other people's headers (CLI11, JSON, doctest): UndefinedBehaviorSanitizer would
# make them take ten times as long to compile, a minute each.
add_library(myr_without_ubsan INTERFACE)
target_compile_options(myr_without_ubsan INTERFACE -fno-sanitize=undefined)

# The public headers.
add_library(myr_headers INTERFACE)
target_include_directories(myr_headers INTERFACE "${CMAKE_SOURCE_DIR}/include")

# myr_layer(NAME SOURCES ... TESTS ... MODELS ... DEPENDS layer... LIBRARIES target...)
# Makes myr_NAME. TESTS become the program myr_NAME_test and the test unit.NAME; MODELS, built in the model
# preset only, become myr_NAME_model and model.NAME, and use headers of the layers alone.
# DEPENDS is compared with tools/tidy/layers.toml.
function(myr_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;TESTS;MODELS;DEPENDS;LIBRARIES" ${ARGN})
  list(TRANSFORM arg_DEPENDS PREPEND myr_ OUTPUT_VARIABLE links)
  if(arg_SOURCES)
    add_library(myr_${name} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(myr_${name} PRIVATE myr_settings myr_inside)
  else()
    add_library(myr_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(myr_${name} ${scope} "${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(myr_${name} ${scope} myr_headers ${links} ${arg_LIBRARIES})
  if(arg_TESTS)
    myr_test(unit.${name} myr_${name}_test SOURCES ${arg_TESTS} LIBRARIES myr_${name} LABELS unit quick)
  endif()
  if(arg_MODELS AND MYR_MODEL)
    myr_test(model.${name} myr_${name}_model
      SOURCES ${arg_MODELS} LIBRARIES myr_explore LABELS model)
    add_dependencies(models myr_${name}_model)
  endif()
endfunction()

# doctest's own code, built once.
add_library(myr_doctest_main OBJECT "${CMAKE_SOURCE_DIR}/tests/doctest_main.cpp")
target_link_libraries(myr_doctest_main PUBLIC doctest::doctest PRIVATE myr_without_ubsan)

# myr_test(TEST PROGRAM SOURCES file... LIBRARIES target... LABELS label...)
# A doctest program and the ctest that runs all of it.
function(myr_test test program)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${program} ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE ${arg_LIBRARIES} myr_settings myr_doctest_main)
  # Only the library is optimised as a whole: that takes seconds for each program.
  target_link_options(${program} PRIVATE $<$<BOOL:${MYR_LTO}>:-fno-lto>)
  add_test(NAME ${test} COMMAND ${program})
  set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300)
endfunction()
