// SPDX-License-Identifier: Apache-2.0
// All toys: graphs, programs, answers, and the Spy that checks the contract between an engine and a
// program.
#pragma once

#include "tests/contract/spy.h"
#include "tests/contract/toy_answers.h"
#include "tests/contract/toy_graphs.h"
#include "tests/contract/toy_programs.h"
