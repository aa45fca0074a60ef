// SPDX-License-Identifier: Apache-2.0
// The verbs, one a file: cli/<verb>.cc adds its subcommand, whose callback does the work and throws
// Error. To add a verb: write its file, declare it here, register it in command_line.cc.
//
// The same option is spelt the same everywhere: --force (replace what exists), --json (for
// programs), --threads (0: every core), --memory (a size such as 512M). --quiet is every verb's,
// and command_line.cc adds it. A verb's footer shows an example.
#pragma once

#include <CLI/CLI.hpp>

namespace outcore {

void add_cachesim(CLI::App& app);
void add_check(CLI::App& app);
void add_completion(CLI::App& app);
void add_export(CLI::App& app);
void add_freeze(CLI::App& app);
void add_generate(CLI::App& app);
void add_import(CLI::App& app);
void add_ingest(CLI::App& app);
void add_inspect(CLI::App& app);
void add_layout(CLI::App& app);
void add_list(CLI::App& app);
void add_man(CLI::App& app);
void add_plan(CLI::App& app);
void add_probe(CLI::App& app);
void add_query(CLI::App& app);
void add_race(CLI::App& app);
void add_run(CLI::App& app);
void add_stream(CLI::App& app);
void add_symmetrise(CLI::App& app);
void add_trace(CLI::App& app);
void add_verify(CLI::App& app);

}  // namespace outcore
