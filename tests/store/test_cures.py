from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType

import assets.range_work
import pipeline.nntp.errors
import store.catalog.connection
import store.configuration
import store.disk
import store.lake
from pipeline.nntp.errors import CorruptBlock, LoginRefused, NntpError, PassingFault
from store.cures import CURES, UNKNOWN, cure_of, kind_of, markdown

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"
MODULES: tuple[ModuleType, ...] = (
    assets.range_work,
    pipeline.nntp.errors,
    store.catalog.connection,
    store.configuration,
    store.disk,
    store.lake,
)


def errors() -> dict[str, type[BaseException]]:
    return {
        name: kind
        for module in MODULES
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, BaseException)
    } | {"MemoryError": MemoryError}


def test_every_entry_is_of_an_error_there_is():
    assert {cure.kind for cure in CURES} <= set(errors())


def test_of_the_provider_exactly_the_passing_faults_are_tried_again():
    for name, kind in errors().items():
        if issubclass(kind, NntpError) and kind not in (NntpError, PassingFault):
            assert cure_of(name).passing == issubclass(kind, PassingFault), name
            assert cure_of(name) is not UNKNOWN, name


def test_the_kind_of_an_error_is_its_nearest_class_with_an_entry():
    class LoginExpired(LoginRefused):
        pass

    assert kind_of(LoginExpired()) == "LoginRefused"
    assert kind_of(CorruptBlock()) == "CorruptBlock"
    assert kind_of(KeyError("x")) == "KeyError"
    assert cure_of("KeyError") is cure_of(None) is UNKNOWN
    assert not UNKNOWN.passing


def test_the_documentation_has_the_table():
    assert markdown() in OPERATIONS.read_text()
