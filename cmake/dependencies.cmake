# SPDX-License-Identifier: Apache-2.0
# Every library comes from Debian packages (scripts/setup installs them); nothing is vendored.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
if(OUTCORE_OPENMP)
  find_package(OpenMP REQUIRED)
endif()
if(OUTCORE_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(uring REQUIRED IMPORTED_TARGET liburing)
pkg_check_modules(numa REQUIRED IMPORTED_TARGET numa)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)

add_library(outcore_flags INTERFACE)
target_include_directories(outcore_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(outcore_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                               -Wno-sign-conversion
                                               $<$<CXX_COMPILER_ID:GNU>:-Wno-interference-size>)
# Sources name themselves (__FILE__, in assertions) as seen from the project's folder, so that one
# folder's builds are found in the compiler cache by every other's.
target_compile_options(outcore_flags INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(OUTCORE_MARCH)
  target_compile_options(outcore_flags INTERFACE $<$<CONFIG:Release>:-march=${OUTCORE_MARCH}>)
endif()
target_link_libraries(outcore_flags INTERFACE Threads::Threads fmt::fmt
                                              nlohmann_json::nlohmann_json)
if(OUTCORE_OPENMP)
  target_link_libraries(outcore_flags INTERFACE OpenMP::OpenMP_CXX)
else()
  target_compile_options(outcore_flags INTERFACE -Wno-unknown-pragmas)
endif()
# Debian's libstreamvbyte has no file for pkg-config.
find_library(STREAMVBYTE_LIBRARY streamvbyte REQUIRED)
