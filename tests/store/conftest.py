from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from databases import Databases
from databases import server_folder as folder_for_a_server

from store.catalog.connection import Catalog
from store.disk import LocalDisk
from store.postgres import EmbeddedPostgres

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def postgres(databases: Databases) -> EmbeddedPostgres:
    """The server of all tests."""
    return databases.postgres


@pytest.fixture
def server_folder() -> Iterator[Path]:
    """A folder for a server of the test's own."""
    with folder_for_a_server() as folder:
        yield folder
        EmbeddedPostgres(folder / "postgres").stop()


@pytest.fixture
def fresh_catalog(databases: Databases) -> Iterator[Callable[[], Catalog]]:
    """Makes catalogs of their own."""
    with ExitStack() as made:
        yield lambda: made.enter_context(databases.catalog())


@pytest.fixture
def catalog(fresh_catalog: Callable[[], Catalog]) -> Catalog:
    return fresh_catalog()


@pytest.fixture
def disk(tmp_path: Path) -> LocalDisk:
    return LocalDisk(tmp_path / "disk")
