# SPDX-License-Identifier: Apache-2.0
"""For all tests: a shell's background jobs ignore Ctrl-C, and so would what they start."""

import signal


def pytest_configure() -> None:
    """Tests that interrupt programs must be able to, also under `make test &`."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
