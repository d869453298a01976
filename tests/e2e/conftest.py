from __future__ import annotations

import sys
from pathlib import Path

# The modules beside the end-to-end tests are theirs alone: importlib mode does not put their folder on the path.
sys.path[:0] = [
    str(Path(__file__).parent),
    str(Path(__file__).parent.parent),
    str(Path(__file__).parent.parent / "pipeline"),
]
