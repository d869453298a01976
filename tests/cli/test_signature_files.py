"""Files of the signature table: what is written is read back, and what cannot be read is refused with its line and reason."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli.signature_files import BadSignatureFile, read, toml
from pipeline.batch import Signature
from pipeline.signatures import DEFAULT_TABLE

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=20)
PART = TEXT.filter(lambda text: "|" not in text and not text.startswith("tool:"))
SIGNATURE = st.one_of(st.tuples(PART, PART, PART).map("|".join), TEXT.filter(str.strip).map("tool:{}".format))
LINE = st.builds(Signature, SIGNATURE, st.sampled_from(["drop", "keep"]), TEXT.filter(str.strip))
TABLE = st.lists(LINE, min_size=1, max_size=5, unique_by=lambda line: line.signature).map(tuple)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(TABLE)
def test_what_is_written_is_read_back(tmp_path: Path, table: tuple[Signature, ...]):
    (tmp_path / "table.toml").write_text(toml(table), "utf-8")
    assert read(tmp_path / "table.toml") == table
    with (tmp_path / "table.CSV").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("signature", "verdict", "reason"), *((line.signature, line.verdict, line.reason) for line in table)]
        )
    assert read(tmp_path / "table.CSV") == table


def test_the_shipped_table_passes_its_own_checks(tmp_path: Path):
    (tmp_path / "table.toml").write_text(toml(DEFAULT_TABLE.signatures))
    assert read(tmp_path / "table.toml") == DEFAULT_TABLE.signatures


def entry(signature: str = "a|b|c", verdict: str = "drop", reason: str = "r") -> str:
    return f'[[signature]]\nsignature = "{signature}"\nverdict = "{verdict}"\nreason = "{reason}"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no entry"),
        ("[[signature]", "at line 1, column"),
        ("signature = 3\n", "no other keys"),
        (entry() + '[[signatur]]\nreason = "r"\n', "no other keys"),
        ('[[signature]]\nsignature = "a|b|c"\n', "line 1: an entry has signature, verdict and reason"),
        (entry() + "colour = 3\n", "line 1: an entry has"),
        ("# one\n" + entry().replace('"r"', "3"), "line 2: signature, verdict and reason must be texts"),
        (entry() + "\n" + entry("a|b"), "line 6: signature 'a|b' must be template|poster|subject"),
        (entry() + entry("d|e|f", "burn"), "line 5: signature 'd|e|f': verdict must be drop or keep, not 'burn'"),
        (entry(reason=" "), "line 1: signature 'a|b|c' must have a reason"),
        (entry(reason="a\\nb"), "line 1: signature 'a|b|c': signature and reason must be on one line"),
        (entry("tool:"), "line 1: tool: must be followed by the name of a tool"),
        (entry() + entry("x|y|z") + entry(verdict="keep"), "line 9: line 1 decides 'a|b|c' already"),
        ('signature = [{signature = "a|b", verdict = "drop", reason = "r"}]\n', "entry 1: signature 'a|b' must be"),
    ],
)
def test_toml_is_refused_with_line_and_reason(tmp_path: Path, text: str, said: str):
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(BadSignatureFile, match=re.escape(said)):
        read(tmp_path / "bad.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no entry"),
        ("signature,verdict,reason\n", "has no entry"),
        ("signature,reason,verdict\na|b|c,r,drop\n", "line 1: the columns must be signature,verdict,reason"),
        ("signature,verdict,reason\na|b|c,drop,r\na|b|d,drop\n", "line 3: 2 fields instead of 3"),
        ("signature,verdict,reason\n\na|b,drop,r\n", "line 3: signature 'a|b' must be template|poster|subject"),
    ],
)
def test_csv_is_refused_with_line_and_reason(tmp_path: Path, text: str, said: str):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(BadSignatureFile, match=re.escape(said)):
        read(tmp_path / "bad.csv")


def test_what_is_no_text_is_refused(tmp_path: Path):
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadSignatureFile, match="is not UTF-8 text"):
        read(tmp_path / "bad.toml")
    with pytest.raises(BadSignatureFile, match="cannot be read: No such file"):
        read(tmp_path / "nowhere.toml")
