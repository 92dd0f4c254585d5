"""What tests of the data may ask for: a database server."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.data.postgres import NoServerError, running_server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The address of a PostgreSQL database of the tests' own; without a server the test is skipped.

    Where CI is set, a server is expected, and the test fails instead.
    """
    try:
        with running_server() as address:
            yield address
    except NoServerError as error:
        if os.environ.get("CI"):
            pytest.fail(f"PostgreSQL is expected here: {error}")
        pytest.skip(f"PostgreSQL cannot be had: {error}")
