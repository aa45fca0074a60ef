// SPDX-License-Identifier: Apache-2.0
// For tests of imports: files with given bytes, the edges that they give, and the messages for
// those that are refused.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/hash.h"
#include "storage/container/container.h"
#include "storage/formats/import.h"

namespace outcore {

class ImportTest : public testing::Test {
 protected:
  ImportTest() {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }

  std::filesystem::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(root_ / name, std::ios::binary) << bytes;
    return root_ / name;
  }
  // The imported edges, after a check of the whole container.
  std::vector<Edge> import(const std::filesystem::path& file, ImportOptions options = {}) {
    options.force = true;
    options.threads = 2;
    import_graph(file, graph_, options);
    check_container(graph_, [](const std::string&) {});
    Container container(graph_);
    std::vector<Edge> edges;
    for (VertexId v = 0; v < container.facts().vertices; ++v) {
      for (const VertexId u : container.csr(Direction::out).list(v)) edges.emplace_back(v, u);
    }
    return edges;
  }
  // The weights of its edges. REQUIRES: import() was called.
  std::vector<float> weights() {
    Container container(graph_);
    const auto weights = container.csr(Direction::out).weights();
    return {weights.begin(), weights.end()};
  }
  std::vector<std::uint64_t> ids() {
    Container container(graph_);
    const auto ids = container.ids();
    return {ids.begin(), ids.end()};
  }
  // The import is refused with this code and a text that names the file; no graph or remains of one
  // are left.
  void expect_refused(const std::filesystem::path& file, ExitCode code, const std::string& text,
                      const ImportOptions& options = {}) {
    EXPECT_THAT(complaint(file, code, text, options),
                ::testing::HasSubstr(file.filename().string()));
  }
  std::string complaint(const std::filesystem::path& file, ExitCode code, const std::string& text,
                        const ImportOptions& options = {}) {
    std::string complaint = file.filename().string();
    std::filesystem::remove_all(graph_);
    try {
      import_graph(file, graph_, options);
      ADD_FAILURE() << file << " was accepted, expected: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_THAT(error.what(), ::testing::HasSubstr(text));
      complaint = error.what();
    }
    EXPECT_FALSE(std::filesystem::exists(graph_));
    EXPECT_FALSE(std::filesystem::exists(graph_.string() + ".pending"));
    return complaint;
  }
  void expect_bad_text(const std::string& text, const std::string& message) {
    expect_refused(write("bad.txt", text), ExitCode::bad_input, message);
  }

  std::filesystem::path root_ = std::filesystem::path(testing::TempDir()) / "import_test";
  std::filesystem::path graph_ = root_ / "graph";
};

template <typename T>
void append(std::string& bytes, std::initializer_list<T> values) {
  for (const T value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace outcore
