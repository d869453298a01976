from __future__ import annotations

from pathlib import Path

import pytest

from store.configuration import BadConfiguration, load


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
