# What `cmake --install` lays down: headers, libmyrmidon, `myr`, and the files by which find_package() and
# pkg-config find them. The build trees of users see three targets: myrmidon::myrmidon,
# myrmidon::static and myrmidon::check. Each file belongs to one component, which is a package of Debian's
# (MyrPackages.cmake).
include(CMakePackageConfigHelpers)

install(TARGETS myrmidon myrmidon_static myrmidon_check EXPORT myrmidon-targets
  LIBRARY COMPONENT library NAMELINK_COMPONENT dev
  ARCHIVE COMPONENT dev)
if(TARGET myrmidon_tasks)
  install(TARGETS myrmidon_tasks EXPORT myrmidon-targets ARCHIVE COMPONENT dev)
endif()
if(TARGET myr)
  install(TARGETS myr COMPONENT tools)
endif()
if(TARGET myrcc)
  install(TARGETS myrcc COMPONENT tools)
  install(TARGETS myrcc_translator RUNTIME DESTINATION libexec COMPONENT tools)
endif()
# Beside libmyrmidon, which looks for them there.
get_property(plugins GLOBAL PROPERTY myr_mpi_plugins)
foreach(plugin IN LISTS plugins)
  string(REPLACE "myrmidon-" "" mpi "${plugin}")
  install(TARGETS ${plugin} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${mpi})
endforeach()
# Where only `myr omp` and those who name it look for it.
foreach(target IN ITEMS myr_gomp myr_gomp_observed)
  if(TARGET ${target})
    set(folder "${CMAKE_INSTALL_LIBDIR}/myrmidon")
    if(target STREQUAL "myr_gomp_observed")
      string(APPEND folder "/observed")
    endif()
    install(TARGETS ${target} LIBRARY DESTINATION "${folder}" COMPONENT openmp NAMELINK_SKIP)
    install(FILES "$<TARGET_FILE_DIR:${target}>/libomp.so.5" "$<TARGET_FILE_DIR:${target}>/libomp.so"
      DESTINATION "${folder}" COMPONENT openmp)  # links to it
  endif()
endforeach()
# Where only `myr check` looks for it.
if(TARGET myr_check_calls)
  install(TARGETS myr_check_calls LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/myrmidon/check"
    COMPONENT tools NAMELINK_SKIP)
  install(FILES "$<TARGET_FILE_DIR:myr_check_calls>/libclang_rt.tsan-${CMAKE_SYSTEM_PROCESSOR}.so"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/myrmidon/check" COMPONENT tools)  # a link to it
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/myrmidon")
install(EXPORT myrmidon-targets NAMESPACE myrmidon:: DESTINATION "${package_dir}" COMPONENT dev)
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/myrmidon-config.cmake.in" "${PROJECT_BINARY_DIR}/myrmidon-config.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/myrmidon-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/myrmidon-config.cmake"
              "${PROJECT_BINARY_DIR}/myrmidon-config-version.cmake" DESTINATION "${package_dir}" COMPONENT dev)

# pkg-config paths relative to the file itself, so that a moved install tree keeps working.
file(RELATIVE_PATH pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/myrmidon.pc.in" "${PROJECT_BINARY_DIR}/myrmidon.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/myrmidon.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
if(TARGET myrmidon_fortran)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/myrmidon-fortran.pc.in" "${PROJECT_BINARY_DIR}/myrmidon-fortran.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/myrmidon-fortran.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endif()

# For computers where people load what they use; packages need none, so it is in none.
set(modules "${CMAKE_INSTALL_DATADIR}/modulefiles/myrmidon")
file(RELATIVE_PATH root_up "/${modules}" "/")
configure_file("${PROJECT_SOURCE_DIR}/packaging/modulefile.in" "${PROJECT_BINARY_DIR}/modulefile" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/modulefile" RENAME "${PROJECT_VERSION}" DESTINATION "${modules}" COMPONENT module)

# The pages, as they lie in the repository, and the programs that they speak of.
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/SECURITY.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT docs)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/examples"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT docs PATTERN CMakeLists.txt EXCLUDE)

include(MyrPackages)
