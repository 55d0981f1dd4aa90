# myr_manual(TARGET): the man page and the bash completion of a command, made from its --help and installed with it.
# The command runs for that: not where it is built for another processor without an emulator, nor with a sanitizer.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND AND PROJECT_IS_TOP_LEVEL)
  message(NOTICE "Man pages and completions are not made: they need the package python3")
endif()

function(myr_manual target)
  if(NOT PROJECT_IS_TOP_LEVEL OR NOT Python3_FOUND OR MYR_MODEL OR CMAKE_CXX_FLAGS MATCHES "sanitize"
     OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
    return()
  endif()
  set(folder "${PROJECT_BINARY_DIR}/manual")
  set(script "${PROJECT_SOURCE_DIR}/tools/manual.py")
  add_custom_command(OUTPUT "${folder}/${target}.1.gz" "${folder}/${target}"
    COMMAND Python3::Interpreter "${script}" "${folder}" ${target}
      ${CMAKE_CROSSCOMPILING_EMULATOR} "$<TARGET_FILE:${target}>"
    DEPENDS ${target} "${script}" VERBATIM)
  add_custom_target(${target}_manual ALL DEPENDS "${folder}/${target}.1.gz")
  install(FILES "${folder}/${target}.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
  install(FILES "${folder}/${target}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT tools)
endfunction()
