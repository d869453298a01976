from __future__ import annotations

from pathlib import Path

import pytest
from command import clean_environment, overlake, started

COMMANDS = (
    "init",
    "check",
    "plan",
    "backfill",
    "status",
    "serve",
    "up",
    "simulate",
    "shell",
    "explain",
    "bench",
    "keys",
)


def test_help_names_every_command_and_each_explains_itself(tmp_path: Path) -> None:
    shown = started(tmp_path, "--help")
    assert shown.returncode == 0
    for command in COMMANDS:
        assert command in shown.stdout
        own = overlake(tmp_path, command, "--help")
        assert own.returncode == 0, own.stderr
        assert "Usage" in own.stdout


def test_what_init_writes_can_be_loaded_and_is_not_overwritten(tmp_path: Path) -> None:
    assert started(tmp_path, "init").returncode == 0
    written = (tmp_path / "overlake.toml").read_text()
    again = overlake(tmp_path, "init")
    assert again.returncode == 1
    assert "is there already" in again.stderr
    assert (tmp_path / "overlake.toml").read_text() == written
    # Loaded, the template asks for the one thing it cannot know.
    asked = overlake(tmp_path, "check")
    assert asked.returncode == 1
    assert "provider.host is not set" in asked.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rangesize = 5", "did you mean range_size?"),
        ("[provider]\npasword = 'x'", "did you mean password?"),
        ("range_size = 'many'", "range_size"),
        ("[provider]\nport = 99999", "provider.port"),
        ("[provider\n", "cannot be read"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "overlake.toml").write_text(text)
    done = overlake(tmp_path, "status")
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_no_configuration_says_how_to_get_one(tmp_path: Path) -> None:
    done = overlake(tmp_path, "status")
    assert done.returncode == 1
    assert "run: overlake init" in done.stderr


def test_a_wrong_option_ends_with_a_status_and_names_it(tmp_path: Path) -> None:
    done = overlake(tmp_path, "init", "--colour", "blue")
    assert done.returncode != 0
    assert "--colour" in done.stderr + done.stdout


def test_a_password_file_others_may_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret")
    (tmp_path / "secret").chmod(0o644)
    (tmp_path / "overlake.toml").write_text('[provider]\nhost = "127.0.0.1"\nport = 1\npassword_file = "secret"\n')
    done = overlake(tmp_path, "check")
    assert done.returncode == 1
    assert "chmod 600" in done.stderr
    assert "s3cret" not in done.stderr


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "overlake.toml").write_text('[provider]\nhost = "127.0.0.1"\nport = 1\ntls = false\n')
    done = overlake(tmp_path, "check")
    assert done.returncode == 1
    assert "127.0.0.1" in done.stderr
    assert "Traceback" not in done.stderr


def test_brackets_and_colons_are_shown_as_they_are(tmp_path: Path) -> None:
    subject = '[/x] [bold]:smile:[/bold] - "a[red].rar" yEnc (3/66)'
    wide = clean_environment() | {"COLUMNS": "200"}
    shown = started(tmp_path, "explain", stdin=subject.encode() + b"\n", environment=wide)
    assert shown.returncode == 0, shown.stderr
    assert subject in shown.stdout
    assert "a[red].rar" in shown.stdout.replace(subject, "")
    (tmp_path / "overlake.toml").write_text("")
    asked = started(tmp_path, "check", environment=wide)
    assert "section [provider]" in asked.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[catalog]\ndsn = "mysql://h/d"', "must be the address of a Postgres database"),
        ('data = "overlake.toml"', "is not a folder"),
        ('[provider]\nhost = "127.0.0.1"\nusername = "joe"', "no password"),
    ],
)
def test_what_cannot_work_is_said_at_once(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "overlake.toml").write_text(text)
    done = overlake(tmp_path, "check")
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
