# SPDX-License-Identifier: Apache-2.0
"""What a step tells its user in a line, without a trace of calls."""

from __future__ import annotations


class ToldError(Exception):
    """A fault whose message says everything.

    `code` is the exit code, as of `outcore`; `before` stands before the message.
    """

    code = 2
    before = ""
