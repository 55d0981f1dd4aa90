# Debian packages, by CPack: `./dev debs` configures with the prefix /usr and runs it. What CMake installs is divided into
# components, of which each is a package; what only a package has (copyright, changelog.Debian.gz) is left out of
# `cmake --install`.
# As Debian numbers packages that its own maintainers have not made: one of theirs, -1, would be newer.
set(MYR_DEB_REVISION 0.1 CACHE STRING "The number behind the version of the Debian packages")
find_program(MYR_DPKG dpkg)
find_program(MYR_GZIP gzip)
mark_as_advanced(MYR_DEB_REVISION MYR_DPKG MYR_GZIP)
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr" OR NOT MYR_DPKG OR NOT MYR_GZIP)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME myrmidon)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_RELEASE "${MYR_DEB_REVISION}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

# Who builds packages for others is whom their users ask, as Debian's own tools have it. The project has no address.
set(overrides)
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
  set(CPACK_PACKAGE_CONTACT "The authors of Myrmidon <>")
  set(overrides "malformed-contact *" "bogus-mail-host-in-debian-changelog *")
endif()

# The date is that of the list of changes.
file(TIMESTAMP "${PROJECT_SOURCE_DIR}/CHANGELOG.md" date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(debian_files "${PROJECT_BINARY_DIR}/debian")
configure_file("${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in" "${debian_files}/changelog" @ONLY)
execute_process(COMMAND "${MYR_GZIP}" -9nc "${debian_files}/changelog" OUTPUT_FILE "${debian_files}/changelog.Debian.gz"
  COMMAND_ERROR_IS_FATAL ANY)
file(CONFIGURE OUTPUT "${debian_files}/triggers" CONTENT "activate-noawait ldconfig\n")

# myr_package(COMPONENT NAME [LIBRARY [SHLIBS file]] SECTION section TITLE text TEXT line... DEPENDS ... RECOMMENDS ... SUGGESTS ...
# OVERRIDES ...)
# A component as a package. OVERRIDES are what lintian may find.
# LIBRARY: the loader finds what is in it; SHLIBS: the file that says what programs depend on that are linked with it.
function(myr_package component name)
  cmake_parse_arguments(arg "LIBRARY" "SECTION;TITLE;SHLIBS" "TEXT;DEPENDS;RECOMMENDS;SUGGESTS;OVERRIDES" ${ARGN})
  string(TOUPPER "${component}" upper)
  list(JOIN arg_TEXT "\n" text)
  set(package CPACK_DEBIAN_${upper}_PACKAGE)
  set(${package}_NAME "${name}" PARENT_SCOPE)
  set(${package}_SECTION "${arg_SECTION}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${arg_TITLE}\n${text}" PARENT_SCOPE)
  foreach(relation IN ITEMS DEPENDS RECOMMENDS SUGGESTS)
    list(JOIN arg_${relation} ", " packages)
    set(${package}_${relation} "${packages}" PARENT_SCOPE)
  endforeach()
  if(arg_LIBRARY)
    set(${package}_CONTROL_EXTRA "${debian_files}/triggers" ${arg_SHLIBS} PARENT_SCOPE)
    list(APPEND arg_OVERRIDES "maintscript-calls-ldconfig *")  # CPack writes these scripts; the trigger is there, too
  endif()
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/debian/copyright" "${debian_files}/changelog.Debian.gz"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}" COMPONENT ${component} EXCLUDE_FROM_ALL)
  list(APPEND arg_OVERRIDES ${overrides})
  if(arg_OVERRIDES)
    list(TRANSFORM arg_OVERRIDES PREPEND "${name}: ")
    list(JOIN arg_OVERRIDES "\n" lines)
    file(CONFIGURE OUTPUT "${debian_files}/overrides/${name}" CONTENT "${lines}\n")
    install(FILES "${debian_files}/overrides/${name}" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides"
      COMPONENT ${component} EXCLUDE_FROM_ALL)
  endif()
endfunction()

set(same "= ${CPACK_PACKAGE_VERSION}-${MYR_DEB_REVISION}")
set(about
  "Myrmidon runs the calls of a serial C or C++ program as tasks: each says"
  "what it reads and writes, and what may run at once does."
  ".")
set(library "libmyrmidon${PROJECT_VERSION_MAJOR}")
set(shlibs "${debian_files}/shlibs")
file(CONFIGURE OUTPUT "${shlibs}"
  CONTENT "libmyrmidon ${PROJECT_VERSION_MAJOR} ${library} (>= ${PROJECT_VERSION})\n")
myr_package(library ${library} LIBRARY SHLIBS "${shlibs}" SECTION libs TITLE "task runtime that finds dependences at run time"
  TEXT ${about} "This package has the shared library."
  SUGGESTS "libmyrmidon-openmpi (${same})" "libmyrmidon-mpich (${same})")
myr_package(dev libmyrmidon-dev SECTION libdevel TITLE "task runtime, files for development"
  TEXT ${about}
  "This package has the headers for C11 and C++20, the static libraries, the"
  "files by which CMake and pkg-config find them, and the Fortran module for"
  "the gfortran of this Debian."
  DEPENDS "${library} (${same})" "libc6-dev | libc-dev" SUGGESTS myrmidon-doc "myrmidon-tools (${same})" pkg-config)
if(TARGET myr)
  myr_package(tools myrmidon-tools SECTION devel TITLE "task runtime, commands myr and myrcc"
    TEXT ${about}
    "The command myr runs programs on a chosen machine, says where their time"
    "went and what their tasks touch without declaring it. The command myrcc"
    "compiles C and C++ programs whose tasks are marked by pragmas."
    RECOMMENDS "libmyrmidon-dev (${same})" "libmyrmidon-openmp (${same})" g++ SUGGESTS bash-completion myrmidon-doc
    OVERRIDES "no-manual-page *myrcc-translator*")  # which only myrcc runs
endif()
myr_package(openmp libmyrmidon-openmp SECTION libs TITLE "task runtime, OpenMP library"
  TEXT "This package has an OpenMP library that takes the place of libgomp and"
  "libomp for programs that are compiled already. It lies in a folder of its"
  "own: no program uses it before the command myr omp, of the package"
  "myrmidon-tools, runs that program."
  RECOMMENDS "myrmidon-tools (${same})")
get_property(plugins GLOBAL PROPERTY myr_mpi_plugins)
foreach(plugin IN LISTS plugins)
  string(REPLACE "myrmidon-" "" mpi "${plugin}")
  get_target_property(title ${plugin} MYR_TITLE)
  set(launcher ${mpi})
  if(mpi STREQUAL "openmpi")
    set(launcher openmpi-bin)
  endif()
  myr_package(${mpi} lib${plugin} LIBRARY SECTION libs TITLE "task runtime, processes of ${title}"
    TEXT ${about}
    "With this package the same programs run as processes of ${title}, on one"
    "computer or several: myr run --on mpi:1+3 ./program"
    DEPENDS "${library} (${same})" RECOMMENDS ${launcher} "myrmidon-tools (${same})"
    OVERRIDES "shared-library-lacks-version *")  # nothing is linked with it: libmyrmidon loads it
endforeach()
set(CPACK_DEBIAN_DOCS_PACKAGE_ARCHITECTURE all)
myr_package(docs myrmidon-doc SECTION doc TITLE "task runtime, documents and examples"
  TEXT ${about}
  "This package has the tutorial, the cookbook, the pages for users and"
  "developers, and examples.")
include(CPack)
