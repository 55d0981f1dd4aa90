# Sets `version` to what stands in the header that programs see it in.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../include/myr/version.h" lines REGEX "define MYR_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
string(REGEX REPLACE "[^0-9]*([0-9]+);[^0-9]*([0-9]+);[^0-9]*([0-9]+)" "\\1.\\2.\\3" version "${lines}")
