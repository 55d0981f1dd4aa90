# The photographs of the kernels that see: code to read them, and the sample that tests and benchmarks
# use, made from a file of Matplotlib where tools/setup has installed that.
target_sources(myr_kernel_common PRIVATE common/photo.cpp)
set(sample "${CMAKE_CURRENT_BINARY_DIR}/sample_photo.pgm")
set_source_files_properties(common/photo.cpp PROPERTIES
  COMPILE_DEFINITIONS "MYR_SAMPLE_PHOTO=\"${sample}\"")

set(python "${PROJECT_SOURCE_DIR}/.cache/venv/bin/python")
if(EXISTS "${python}")  # else the kernels will say what is missing
  set(script "${CMAKE_CURRENT_SOURCE_DIR}/common/photo.py")
  add_custom_command(OUTPUT "${sample}"
    COMMAND "${python}" "${script}" "${sample}" DEPENDS "${script}" VERBATIM)
  add_custom_target(kernel_photo DEPENDS "${sample}")
  add_dependencies(myr_kernel_common kernel_photo)
endif()
