# SPDX-License-Identifier: Apache-2.0
# Runs at every build: writes the header `OUTPUT` with the version and the commit of the tree at
# `SOURCE`. While both stay the same it leaves the header untouched, so nothing is rebuilt.
cmake_minimum_required(VERSION 3.25)
execute_process(
  COMMAND git describe --always --abbrev=12 --dirty --exclude=*
  WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET
  RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"#define OUTCORE_VERSION \"@VERSION@\"
#define OUTCORE_GIT_COMMIT \"@commit@\"
" @ONLY)
