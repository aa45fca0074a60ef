# SPDX-License-Identifier: Apache-2.0
# A room is a folder with one library. Its sources are found, not listed, so adding an engine, a
# policy or a workload means adding its files (and its line in the room's registry).
#
#   outcore_room(name LINK other_room ... [TEST_LINK room ...] [TEST_SHARDS n] [EXCLUDE main.cc ...])
#
# builds outcore_<name> from every *.cc below the folder except *_test.cc, which become
# <name>_tests. TEST_LINK names rooms that only the tests use; these may be above this one. ctest
# runs the tests in TEST_SHARDS parts. A folder below that has a CMakeLists.txt is a room of its own.
function(outcore_room name)
  cmake_parse_arguments(ROOM "" "TEST_SHARDS" "LINK;TEST_LINK;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(TRANSFORM ROOM_EXCLUDE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${ROOM_EXCLUDE})
  file(GLOB_RECURSE rooms_below CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(room IN LISTS rooms_below)
    cmake_path(GET room PARENT_PATH room)
    list(FILTER sources EXCLUDE REGEX "^${room}/")
  endforeach()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  add_library(outcore_${name} STATIC ${sources})
  target_link_libraries(outcore_${name} PUBLIC outcore_flags ${ROOM_LINK})
  target_precompile_headers(outcore_${name} PRIVATE <cmake/pch.h>)
  outcore_compile_together(outcore_${name})

  if(tests)
    outcore_tests(${name}_tests SOURCES ${tests} LINK outcore_${name} ${ROOM_TEST_LINK}
                  SHARDS ${ROOM_TEST_SHARDS})
  endif()
endfunction()

function(outcore_tests name)
  cmake_parse_arguments(TESTS "" "SHARDS" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${TESTS_SOURCES})
  target_link_libraries(${name} PRIVATE ${TESTS_LINK} GTest::gmock GTest::gtest_main)
  target_precompile_headers(${name} PRIVATE <cmake/pch.h> <gmock/gmock.h> <gtest/gtest.h>)
  outcore_compile_together(${name})
  if(NOT TESTS_SHARDS)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    outcore_test_properties(${name} "" ${TESTS_SOURCES})
    return()
  endif()
  # What takes longest is shared out: each test runs a part of the program's cases.
  foreach(shard RANGE 1 ${TESTS_SHARDS})
    set(results ${CMAKE_BINARY_DIR}/test-results/cases/${name}_${shard}.xml)
    add_test(NAME ${name}_${shard} COMMAND ${name} --gtest_brief=1 --gtest_output=xml:${results})
    math(EXPR index "${shard} - 1")
    outcore_test_properties(${name}_${shard}
                            "GTEST_TOTAL_SHARDS=${TESTS_SHARDS};GTEST_SHARD_INDEX=${index}"
                            ${TESTS_SOURCES})
  endforeach()
endfunction()

function(outcore_test_properties test environment)
  # In the build folder, whose disk has O_DIRECT (/tmp may not), and apart from tests of other
  # builds that run at the same time.
  set(files ${CMAKE_BINARY_DIR}/test-files/${test})
  file(MAKE_DIRECTORY ${files})
  set_tests_properties(${test} PROPERTIES ENVIRONMENT
                       "TEST_TMPDIR=${files}/;OMP_WAIT_POLICY=passive;${environment}")
  # The longest tests run first, so that they do not run alone at the end. The number of sources is
  # an estimate; what is shared out takes longest.
  list(LENGTH ARGN cost)
  if(environment)
    set(cost 1000)
  endif()
  set_tests_properties(${test} PROPERTIES COST ${cost})
endfunction()

# Sources are compiled several at a time, which takes a fifth of the time: a small file spends most
# of it on the templates of its headers. The price: names in unnamed namespaces must differ within a
# room, and within a test program. -DOUTCORE_TOGETHER=1 compiles each source by itself;
# -DOUTCORE_TOGETHER=0 compiles a whole room at once, which finds every clash.
set(OUTCORE_TOGETHER 8 CACHE STRING "Sources that are compiled as one")
function(outcore_compile_together target)
  if(NOT OUTCORE_TOGETHER EQUAL 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON
                                               UNITY_BUILD_BATCH_SIZE ${OUTCORE_TOGETHER})
  endif()
endfunction()
