from __future__ import annotations

import sys
from pathlib import Path

import pytest
from databases import Databases

# The modules beside the end-to-end tests are theirs alone: importlib mode does not put their folder on the path.
sys.path.insert(0, str(Path(__file__).parent.parent / "pipeline"))
sys.path.insert(0, str(Path(__file__).parent))

from index_lab import Lab


@pytest.fixture(scope="session")
def lab(databases: Databases) -> Lab:
    return Lab(databases)
