# Rules for tests: myr_test() makes a doctest program and the ctest that runs it.
find_package(doctest REQUIRED)
# tools/setup makes the virtual environment; without it only the tests of kernels with scripts fail.
if(EXISTS "${PROJECT_SOURCE_DIR}/.cache/venv/bin/python")
  set(Python3_EXECUTABLE "${PROJECT_SOURCE_DIR}/.cache/venv/bin/python")
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
add_custom_target(models COMMENT "All model tests")

# For tests, and a program that only counts: what is tested is optimised in its own library; the test itself runs once, and its compilation
# takes most of the time that it costs.
add_library(myr_quick_to_compile INTERFACE)
string(FIND "${CMAKE_CXX_FLAGS}" "-fsanitize" sanitized)
if(sanitized EQUAL -1)
  target_compile_options(myr_quick_to_compile INTERFACE -O1)
else()
  target_compile_options(myr_quick_to_compile INTERFACE -O0 -fno-sanitize=undefined)
endif()

# myr_processors_of(MACHINE VARIABLE): how many processors of its computer a test on this machine keeps busy.
function(myr_processors_of machine variable)
  if(machine MATCHES "^(serial$|smp:1$|sim:)")
    set(${variable} 1 PARENT_SCOPE)
  else()
    set(${variable} 2 PARENT_SCOPE)
  endif()
endfunction()

# doctest's own code, built once.
add_library(myr_doctest_main OBJECT "${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp")
target_link_libraries(myr_doctest_main PUBLIC doctest::doctest PRIVATE myr_quick_to_compile)

# myr_test(TEST PROGRAM SOURCES file... LIBRARIES target... LABELS label...)
# A doctest program and the ctest that runs all of it. Sanitizers leave out the suite `long`: counting to
# millions in one thread, which takes them minutes and shows them nothing.
function(myr_test test program)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${program} ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE
    ${arg_LIBRARIES} myr_settings myr_quick_to_compile myr_doctest_main)
  set(left_out)
  if(CMAKE_CXX_FLAGS MATCHES "sanitize")
    set(left_out --test-suite-exclude=long)
  endif()
  add_test(NAME ${test} COMMAND ${program} ${left_out})
  set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300)
endfunction()
