# Build rules shared by all folders: compiler settings and myr_layer(), which turns a folder of src/ into a
# target, its tests into one test program, and its allowed includes into link dependencies.
include(GNUInstallDirs)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

option(MYR_CHECKED "Compile the costly checks (MYR_DCHECK) in" OFF)
option(MYR_UNITY "Compile the library as one file: much faster as a whole, and optimised as a whole" ON)

set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
if(PROJECT_IS_TOP_LEVEL)
  set_property(GLOBAL PROPERTY GLOBAL_DEPENDS_NO_CYCLES ON)
endif()

# Warnings and the like for our own code. Designated initialisers may leave members out.
add_library(myr_settings INTERFACE)
target_compile_options(myr_settings INTERFACE
  -Wall -Wextra -Wshadow -Wno-missing-field-initializers -fvisibility=hidden
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
target_compile_definitions(myr_settings INTERFACE
  $<$<BOOL:${MYR_CHECKED}>:MYR_CHECKED=1> $<$<BOOL:${MYR_MODEL}>:MYR_MODEL=1>)

# For the code inside libmyrmidon only. Thread-local variables of a shared library would otherwise cost a
# call each.
add_library(myr_inside INTERFACE)
target_compile_options(myr_inside INTERFACE -ftls-model=initial-exec)

# myr_compile_as_one(TARGET): all C++ files of a target as one, which includes each header once. Names in
# anonymous namespaces of its files must differ.
function(myr_compile_as_one target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MYR_UNITY} UNITY_BUILD_BATCH_SIZE 0)
endfunction()

# For files that are mostly other people's headers (CLI11, JSON, Clang): UndefinedBehaviorSanitizer would
# make them take three to ten times as long to compile.
add_library(myr_without_ubsan INTERFACE)
target_compile_options(myr_without_ubsan INTERFACE -fno-sanitize=undefined)

# The public headers.
add_library(myr_headers INTERFACE)
target_include_directories(myr_headers INTERFACE "${PROJECT_SOURCE_DIR}/include")

# myr_layer(NAME [APART] SOURCES ... TESTS ... ONE_THREAD_TESTS ... MODELS ... DEPENDS layer... LIBRARIES target...)
# The SOURCES become a part of libmyrmidon or, with APART, a library of their own; myr_NAME is what to link for
# the layer in both cases. TESTS and ONE_THREAD_TESTS, those that run in one thread, become the program myr_NAME_test and
# the test unit.NAME; without MYR_ONE_THREAD_TESTS, TESTS alone. MODELS, built in the model preset only, become
# myr_NAME_model and model.NAME, and use headers of the layers alone.
# DEPENDS is compared with tools/tidy/layers.toml.
function(myr_layer name)
  cmake_parse_arguments(arg "APART" "" "SOURCES;TESTS;ONE_THREAD_TESTS;MODELS;DEPENDS;LIBRARIES" ${ARGN})
  list(TRANSFORM arg_DEPENDS PREPEND myr_ OUTPUT_VARIABLE links)
  if(arg_APART)
    add_library(myr_${name} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(myr_${name} PRIVATE myr_settings)
  else()
    add_library(myr_${name} INTERFACE)
    set(scope INTERFACE)
    list(TRANSFORM arg_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    set_property(GLOBAL APPEND PROPERTY myr_library_sources ${arg_SOURCES})
    target_link_libraries(myr_${name} INTERFACE myrmidon_static)
  endif()
  target_include_directories(myr_${name} ${scope} "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(myr_${name} ${scope} myr_headers ${links} ${arg_LIBRARIES})
  set(tests ${arg_TESTS})
  if(MYR_ONE_THREAD_TESTS)
    list(APPEND tests ${arg_ONE_THREAD_TESTS})
  endif()
  if(tests AND MYR_DEVELOP)
    myr_test(unit.${name} myr_${name}_test SOURCES ${tests} LIBRARIES myr_${name} LABELS unit quick)
    myr_compile_as_one(myr_${name}_test)
  endif()
  if(arg_MODELS AND MYR_MODEL)
    myr_test(model.${name} myr_${name}_model
      SOURCES ${arg_MODELS} LIBRARIES myr_explore LABELS model)
    add_dependencies(models myr_${name}_model)
  endif()
endfunction()
