// SPDX-License-Identifier: Apache-2.0
// All toys of the paper prototypes: graphs, programs, answers, the common part of the engines, and
// the Spy that checks the contract between them.
#pragma once

#include "tests/prototypes/spy.h"
#include "tests/prototypes/toy_answers.h"
#include "tests/prototypes/toy_engine.h"
#include "tests/prototypes/toy_graphs.h"
#include "tests/prototypes/toy_programs.h"
