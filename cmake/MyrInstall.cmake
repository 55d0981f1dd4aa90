# What `cmake --install` lays down: headers, libmyrmidon, `myr`, and the files by which find_package() and
# pkg-config find them. The build trees of users see three targets: myrmidon::myrmidon,
# myrmidon::static and myrmidon::check.
include(CMakePackageConfigHelpers)

install(TARGETS myrmidon myrmidon_static myrmidon_check EXPORT myrmidon-targets)
if(TARGET myrmidon_tasks)
  install(TARGETS myrmidon_tasks EXPORT myrmidon-targets)
endif()
if(TARGET myr)
  install(TARGETS myr)
endif()
# Beside libmyrmidon, which looks for them there.
get_property(plugins GLOBAL PROPERTY myr_mpi_plugins)
foreach(plugin IN LISTS plugins)
  install(TARGETS ${plugin} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endforeach()
# Where only `myr omp` and those who name it look for it.
foreach(target IN ITEMS myr_gomp myr_gomp_observed)
  if(TARGET ${target})
    set(folder "${CMAKE_INSTALL_LIBDIR}/myrmidon")
    if(target STREQUAL "myr_gomp_observed")
      string(APPEND folder "/observed")
    endif()
    install(TARGETS ${target} LIBRARY DESTINATION "${folder}" NAMELINK_SKIP)
    install(FILES "$<TARGET_FILE_DIR:${target}>/libomp.so.5" "$<TARGET_FILE_DIR:${target}>/libomp.so"
      DESTINATION "${folder}")  # links to it
  endif()
endforeach()
# Where only `myr check` looks for it.
if(TARGET myr_check_calls)
  install(TARGETS myr_check_calls LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/myrmidon/check" NAMELINK_SKIP)
  install(FILES "$<TARGET_FILE_DIR:myr_check_calls>/libclang_rt.tsan-${CMAKE_SYSTEM_PROCESSOR}.so"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/myrmidon/check")  # a link to it
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/myrmidon")
install(EXPORT myrmidon-targets NAMESPACE myrmidon:: DESTINATION "${package_dir}")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/myrmidon-config.cmake.in" "${PROJECT_BINARY_DIR}/myrmidon-config.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/myrmidon-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/myrmidon-config.cmake"
              "${PROJECT_BINARY_DIR}/myrmidon-config-version.cmake" DESTINATION "${package_dir}")

# pkg-config paths relative to the file itself, so that a moved install tree keeps working.
file(RELATIVE_PATH pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/myrmidon.pc.in" "${PROJECT_BINARY_DIR}/myrmidon.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/myrmidon.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(TARGET myrmidon_fortran)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/myrmidon-fortran.pc.in" "${PROJECT_BINARY_DIR}/myrmidon-fortran.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/myrmidon-fortran.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()
