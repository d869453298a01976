"""`overlake.toml` and `OVERLAKE_*` environment variables as one typed, frozen object.

Environment wins over the file: `OVERLAKE_PROVIDER__PASSWORD` sets `password` in `[provider]`. Unknown keys are refused.
"""

from __future__ import annotations

import difflib
import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from pipeline.ranges import RANGE_SIZE

FILE_NAME = "overlake.toml"
FILE_VARIABLE = "OVERLAKE_CONFIG"

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")

Port = Annotated[int, Field(ge=1, le=65535)]


class BadConfiguration(ValueError):
    """The configuration cannot be used; the message says which key and what to do."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Provider(_Section):
    """The NNTP account that overview is fetched from. A change of provider is a new `source`."""

    source: str = Field(
        default="main", description="name of this provider's article numbering; change it with the provider"
    )
    host: str = Field(default="", description="host name of the NNTP server")
    port: Port = 563
    tls: bool = True
    ca_file: Path | None = Field(default=None, description="CA certificates to trust instead of the system's")
    username: str = ""
    password: SecretStr = SecretStr("")
    password_file: Path | None = Field(default=None, description="file with mode 0600 that holds the password")
    connections: Annotated[int, Field(ge=1, le=500)] = Field(
        default=20, description="connections the account allows, over all workers"
    )
    connections_per_range: Annotated[int, Field(ge=1, le=100)] = Field(
        default=8, description="connections that fetch one range"
    )
    numbers_per_request: Annotated[int, Field(ge=1, le=100_000)] = Field(
        default=10_000, description="article numbers an XOVER asks for"
    )
    timeout: Annotated[float, Field(gt=0)] = Field(
        default=60.0, description="seconds without a byte before a connection counts as dead"
    )

    def secret(self) -> str:
        """The password, from the setting or from its file.

        Raises:
            BadConfiguration: the file cannot be read or others may read it.
        """
        if self.password_file is None:
            return self.password.get_secret_value()
        try:
            mode = self.password_file.stat().st_mode
            text = self.password_file.read_text().strip()
        except OSError as error:
            raise BadConfiguration(
                f"provider.password_file: {error}; create it or set OVERLAKE_PROVIDER__PASSWORD"
            ) from error
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise BadConfiguration(
                f"provider.password_file {self.password_file} is readable by others; run: chmod 600 {self.password_file}"
            )
        return text


class Groups(_Section):
    """Which groups are indexed: by pattern over LIST, largest first, or named in order of preference."""

    names: tuple[str, ...] = Field(
        default=(), description="exact list in order of preference; empty: choose by the patterns below"
    )
    include: tuple[str, ...] = Field(
        default=("alt.binaries.*",), description="shell patterns of groups to take from LIST"
    )
    exclude: tuple[str, ...] = Field(default=(), description="shell patterns of groups to leave out")
    limit: Annotated[int, Field(ge=1)] = Field(default=1000, description="at most so many groups, largest first")
    min_articles: Annotated[int, Field(ge=0)] = Field(default=1, description="leave out groups with fewer articles")


class Storage(_Section):
    """Where the lake and the chunk files lie: each a folder, or a place in S3-compatible object storage.

    Credentials of the object storage come from the environment alone: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY.
    """

    lake: str = Field(
        default="", description="folder or s3://bucket/prefix of the overview files; empty: the data folder"
    )
    chunks: str = Field(
        default="", description="folder or s3://bucket/prefix of the chunk files; empty: the data folder"
    )
    endpoint: str = Field(
        default="", description="https:// address of the object storage service; empty: AWS_ENDPOINT_URL, else Amazon's"
    )
    region: str = Field(default="", description="region of the buckets; empty: AWS_REGION, else us-east-1")

    @field_validator("lake", "chunks")
    @classmethod
    def _is_a_place(cls, value: str) -> str:
        parts = urlsplit(value)
        if "://" not in value:
            return value
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError("must hold no credentials or options; they come from the environment (AWS_ACCESS_KEY_ID)")
        if parts.scheme != "s3" or not _BUCKET.fullmatch(parts.netloc) or ".." in parts.path or "//" in parts.path:
            raise ValueError("must be a folder, s3://bucket or s3://bucket/prefix")
        return value

    @field_validator("endpoint")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc):
            raise ValueError("must be the address of a service, without credentials: https://s3.example.org")
        return value


class Catalog(_Section):
    """The Postgres server: an own one by DSN, else an embedded one in the data folder."""

    dsn: SecretStr | None = Field(
        default=None, description="postgresql:// address of the catalog database; empty: embedded Postgres"
    )

    @field_validator("dsn", "dagster_dsn")
    @classmethod
    def _is_postgres(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("postgresql://", "postgres://")):
            raise ValueError("must be the address of a Postgres database: postgresql://user:password@host/database")
        return value

    dagster_dsn: SecretStr | None = Field(
        default=None, description="database for Dagster on the same server; default: catalog database name + `_dagster`"
    )


class Server(_Section):
    """The Newznab endpoint and web pages."""

    host: str = "127.0.0.1"
    port: Port = 8080
    public_url: str = Field(
        default="", description="address clients use when behind a reverse proxy, e.g. https://index.example.org"
    )
    title: str = "Overlake"


class Dagster(_Section):
    """How Dagster runs the work."""

    host: str = "127.0.0.1"
    port: Port = 3000
    ranges_per_run: Annotated[int, Field(ge=1, le=1000)] = 16
    concurrent_runs: Annotated[int, Field(ge=1, le=1000)] = 2
    keep_days: Annotated[int, Field(ge=1)] = Field(
        default=30, description="days that Dagster's finished runs and their logs are kept; materializations stay"
    )


class Alerts(_Section):
    """Where failed runs are told."""

    webhook: SecretStr | None = Field(
        default=None, description="https:// address that a failed run is posted to as JSON; empty: none"
    )

    @field_validator("webhook")
    @classmethod
    def _is_http(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("must be an http:// or https:// address")
        return value


class Settle(_Section):
    """When a release counts as final."""

    quiet_hours: Annotated[float, Field(ge=0)] = Field(
        default=24.0, description="hours without a new record before a release settles"
    )
    margin_hours: Annotated[float, Field(ge=0)] = Field(
        default=48.0, description="hours around a release that its groups' ranges must cover"
    )


class Settings(BaseSettings):
    """Everything that can be set. Relative paths are relative to the folder of `overlake.toml`."""

    model_config = SettingsConfigDict(env_prefix="OVERLAKE_", env_nested_delimiter="__", extra="forbid", frozen=True)

    data: Path = Field(Path("data"), description="folder of the lake, the chunks and the embedded Postgres")
    range_size: Annotated[int, Field(ge=100)] = Field(
        default=RANGE_SIZE, description="article numbers of a range; fixed once ranges are planned"
    )
    plan_open_ranges: bool = Field(
        default=False, description="also plan the range that still grows (a small group's only one)"
    )
    collect_grace_hours: Annotated[float, Field(ge=0)] = Field(
        default=1.0, description="hours a replaced chunk file is kept for its readers"
    )
    provider: Provider = Provider()
    groups: Groups = Groups()
    storage: Storage = Storage()
    catalog: Catalog = Catalog()
    server: Server = Server()
    dagster: Dagster = Dagster()
    settle: Settle = Settle()
    alerts: Alerts = Alerts()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Environment before the file's values, which arrive as init arguments."""
        return env_settings, init_settings


def load(path: Path | None = None) -> Settings:
    """Read the configuration file (argument, `$OVERLAKE_CONFIG`, or `overlake.toml` here) and the environment.

    Raises:
        BadConfiguration: no such file, not TOML, an unknown key or a value out of bounds.
    """
    path = path or Path(os.environ.get(FILE_VARIABLE, FILE_NAME))
    try:
        values = tomllib.loads(path.read_text())
    except FileNotFoundError as error:
        raise BadConfiguration(f"{path} does not exist; run: overlake init") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadConfiguration(f"{path} cannot be read: {error}") from error
    try:
        settings = Settings(**values)
    except ValidationError as error:
        raise BadConfiguration(f"{path}: {'; '.join(_complaint(item) for item in error.errors())}") from error
    folder = path.resolve().parent
    if (folder / settings.data).exists() and not (folder / settings.data).is_dir():
        raise BadConfiguration(f"{path}: data: {settings.data} is not a folder; name another one")
    here = {
        "data": folder / settings.data,
        "provider": _beside(settings.provider, folder),
        "storage": _placed(settings.storage, folder),
    }
    return settings.model_copy(update=here)


def _placed(storage: Storage, folder: Path) -> Storage:
    folders = {
        key: str(folder / value)
        for key in ("lake", "chunks")
        if (value := getattr(storage, key)) and "://" not in value
    }
    return storage.model_copy(update=folders)


def _beside(provider: Provider, folder: Path) -> Provider:
    paths = {key: folder / value for key in ("ca_file", "password_file") if (value := getattr(provider, key))}
    return provider.model_copy(update=paths)


def _complaint(item: Any) -> str:
    place = [str(part) for part in item["loc"]]
    if item["type"] != "extra_forbidden":
        return f"{'.'.join(place)}: {item['msg']}"
    model: type[BaseModel] = Settings
    for part in place[:-1]:
        annotation = model.model_fields[part].annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            model = annotation
    near = difflib.get_close_matches(place[-1], list(model.model_fields), n=1, cutoff=0.5)
    return f"unknown key {'.'.join(place)}" + (
        f"; did you mean {near[0]}?" if near else f"; known: {', '.join(model.model_fields)}"
    )
