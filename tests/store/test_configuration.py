from __future__ import annotations

from pathlib import Path

import pytest

from store.configuration import BadConfiguration, Settings, load
from store.configuration_reference import reference, reference_keys


def write(folder: Path, text: str) -> Path:
    path = folder / "overlake.toml"
    path.write_text(text)
    return path


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    settings = load(write(tmp_path, 'data = "lake"\n[provider]\nca_file = "ca.pem"\n'))
    assert settings.data == tmp_path / "lake"
    assert settings.provider.ca_file == tmp_path / "ca.pem"


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVERLAKE_PROVIDER__PASSWORD", "from the environment")
    monkeypatch.setenv("OVERLAKE_RANGE_SIZE", "5000")
    settings = load(
        write(tmp_path, 'range_size = 7000\n[provider]\nhost = "news.example.org"\npassword = "from the file"\n')
    )
    assert settings.provider.secret() == "from the environment"
    assert settings.provider.host == "news.example.org"
    assert settings.range_size == 5000


def test_the_password_is_never_shown(tmp_path: Path) -> None:
    settings = load(write(tmp_path, '[provider]\npassword = "s3cret"\n[catalog]\ndsn = "postgresql://u:pw0rd@h/d"\n'))
    assert "s3cret" not in repr(settings)
    assert "pw0rd" not in repr(settings)


def test_unknown_keys_are_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match=r"server\.prt; did you mean port\?"):
        load(write(tmp_path, "[server]\nprt = 1\n"))


def test_storage_is_a_folder_beside_the_file_or_a_bucket(tmp_path: Path) -> None:
    settings = load(write(tmp_path, '[storage]\nlake = "s3://library/lake"\nchunks = "vault"\n'))
    assert settings.storage.lake == "s3://library/lake"
    assert settings.storage.chunks == str(tmp_path / "vault")
    assert load(write(tmp_path, "")).storage.chunks == ""


@pytest.mark.parametrize(
    "value",
    [
        'lake = "s3://key:s3cret@library"',
        'chunks = "s3://library?secret=s3cret"',
        'lake = "s3:///prefix"',
        'lake = "s3://UPPER/x"',
        'lake = "s3://library/../x"',
        'lake = "gs://library"',
        'lake = "https://s3cret.example.org/library"',
        'endpoint = "https://key:s3cret@s3.example.org"',
        'endpoint = "s3.example.org"',
    ],
)
def test_a_place_that_is_none_or_holds_a_secret_is_refused_without_showing_it(tmp_path: Path, value: str) -> None:
    with pytest.raises(BadConfiguration, match=rf"storage\.{value.split(' ', maxsplit=1)[0]}: .*must") as caught:
        load(write(tmp_path, f"[storage]\n{value}\n"))
    assert "s3cret" not in str(caught.value)


ACCOUNTS = """
[provider]
host = "news.example.org"
username = "one"
password = "s3cret-1"
connections = 20
connections_per_range = 8
[provider.accounts.block]
username = "two"
connections = 4
[provider.accounts.far]
host = "far.example.org"
port = 119
tls = false
connections = 8
"""


def test_accounts_take_what_they_leave_out_from_the_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVERLAKE_PROVIDER__ACCOUNTS__BLOCK__PASSWORD", "s3cret-2")
    settings = load(write(tmp_path, ACCOUNTS))
    assert "s3cret" not in repr(settings)
    accounts = settings.provider.every_account()
    assert list(accounts) == ["", "block", "far"]
    assert [(one.host, one.port, one.tls, one.username) for one in accounts.values()] == [
        ("news.example.org", 563, True, "one"),
        ("news.example.org", 563, True, "two"),
        ("far.example.org", 119, False, ""),
    ]
    assert accounts["block"].secret() == "s3cret-2"
    assert accounts["far"].secret() == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[provider.accounts.block]\npasword = 'x'", r"provider\.accounts\.block\.pasword; did you mean password\?"),
        ("[provider.accounts.Block]\nhost = 'x'", r"provider\.accounts\.Block"),
        ("[retention]\noverview_month = 3", r"did you mean overview_months\?"),
        ("[retention]\noverview_sample = 2", r"retention\.overview_sample"),
        ("[dagster]\nbroker = 'amqp://h'", r"must be the address of a Redis server"),
    ],
)
def test_what_a_section_does_not_know_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadConfiguration, match=said):
        load(write(tmp_path, text))


@pytest.mark.parametrize(
    ("variable", "near"),
    [
        ("OVERLAKE_RANGESIZE", "OVERLAKE_RANGE_SIZE"),
        ("OVERLAKE_PROVIDR__HOST", "OVERLAKE_PROVIDER"),
        ("OVERLAKE_PROVIDER__PASWORD", "password"),
    ],
)
def test_unknown_variables_are_refused_with_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, near: str
) -> None:
    monkeypatch.setenv(variable, "x")
    with pytest.raises(BadConfiguration, match=rf"did you mean {near}\?"):
        load(write(tmp_path, ""))


def test_groups_may_be_named_in_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, '[groups]\nfile = "groups.txt"\n')
    with pytest.raises(BadConfiguration, match=r"groups\.file: .*create it"):
        load(path).groups.named()
    (tmp_path / "groups.txt").write_text("# by hand\n\n")
    with pytest.raises(BadConfiguration, match="names no group"):
        load(path).groups.named()
    (tmp_path / "groups.txt").write_text("# by hand\nalt.binaries.b\nalt.binaries.a  # the second\n")
    assert load(path).groups.named() == ("alt.binaries.b", "alt.binaries.a")
    with pytest.raises(BadConfiguration, match="remove one of them"):
        load(write(tmp_path, '[groups]\nfile = "groups.txt"\nnames = ["alt.binaries.c"]\n')).groups.named()


def test_the_reference_holds_every_key_with_what_it_means() -> None:
    keys = list(reference_keys(Settings))
    assert {"data", "provider.connections", "provider.accounts.NAME.host", "catalog.dsn"} <= {key.name for key in keys}
    assert [key.name for key in keys if not key.meaning] == []
    page = Path(__file__).parents[2] / "docs" / "configuration.md"
    assert page.read_text() == reference(), "make docs"
