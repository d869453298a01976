"""`overlake.toml` and `OVERLAKE_*` environment variables as one typed, frozen object.

Environment wins over the file: `OVERLAKE_PROVIDER__PASSWORD` sets `password` in `[provider]`,
`OVERLAKE_PROVIDER__ACCOUNTS__BLOCK__PASSWORD` that in `[provider.accounts.block]`. Unknown keys are refused.
"""

from __future__ import annotations

import difflib
import os
import re
import stat
import tomllib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from pipeline.ranges import RANGE_SIZE

FILE_NAME = "overlake.toml"
PREFIX = "OVERLAKE_"
FILE_VARIABLE = "OVERLAKE_CONFIG"
OTHER_VARIABLES = (FILE_VARIABLE, "OVERLAKE_DAGSTER_[!_]*")
"""Variables with the prefix that are no settings: where the file is, and what `dagster.yaml` reads."""

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")

Port = Annotated[int, Field(ge=1, le=65535)]


class BadConfiguration(ValueError):
    """The configuration cannot be used; the message says which key and what to do."""


def variable(key: str) -> str:
    """The environment variable of a dotted key."""
    return PREFIX + key.upper().replace(".", "__")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Account(_Section):
    """One more account for the same article numbers. What it leaves out is that of `[provider]`."""

    host: str = Field(default="", description="host name of the NNTP server; empty: provider.host")
    port: Port | None = Field(default=None, description="TCP port; empty: provider.port")
    tls: bool | None = Field(default=None, description="whether the port speaks TLS; empty: provider.tls")
    ca_file: Path | None = Field(default=None, description="CA certificates to trust; empty: provider.ca_file")
    username: str = Field(default="", description="empty when the server asks for none")
    password: SecretStr = Field(
        default=SecretStr(""),
        description="better in OVERLAKE_PROVIDER__ACCOUNTS__NAME__PASSWORD or in a file than here",
    )
    password_file: Path | None = Field(default=None, description="file with mode 0600 that holds the password")
    connections: Annotated[int, Field(ge=1, le=500)] = Field(
        default=20, description="connections this account allows, over all workers"
    )


class Provider(_Section):
    """The NNTP account that overview is fetched from, and further ones. A change of provider is a new `source`."""

    source: str = Field(
        default="main", description="name of this provider's article numbering; change it with the provider"
    )
    host: str = Field(default="", description="host name of the NNTP server")
    port: Port = Field(default=563, description="TCP port: 563 is TLS, 119 is not")
    tls: bool = Field(default=True, description="whether the port speaks TLS, which is verified")
    ca_file: Path | None = Field(default=None, description="CA certificates to trust instead of the system's")
    username: str = Field(default="", description="empty when the server asks for none")
    password: SecretStr = Field(
        default=SecretStr(""), description="better in OVERLAKE_PROVIDER__PASSWORD or in a file than here"
    )
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
    accounts: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")], Account] = Field(
        default={},
        description="further accounts with the same article numbers, by a name: `[provider.accounts.NAME]`",
    )

    def secret(self, place: str = "provider") -> str:
        """The password, from the setting or from its file; `place` is the section that errors name.

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
                f"{place}.password_file: {error}; create it or set {variable(f'{place}.password')}"
            ) from error
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise BadConfiguration(
                f"{place}.password_file {self.password_file} is readable by others; run: chmod 600 {self.password_file}"
            )
        return text

    def every_account(self) -> dict[str, Provider]:
        """Each account by name, with everything it takes from `[provider]`; that of `[provider]` itself is named ``."""
        whole: dict[str, Provider] = {"": self.model_copy(update={"accounts": {}})}
        for name, account in self.accounts.items():
            own = {
                key: value
                for key in ("host", "port", "tls", "ca_file")
                if (value := getattr(account, key)) not in (None, "")
            }
            login = {key: getattr(account, key) for key in ("username", "password", "password_file", "connections")}
            whole[name] = whole[""].model_copy(update=own | login)
        return whole


class Groups(_Section):
    """Which groups are indexed: by pattern over LIST, largest first, or named in order of preference, here or in a file."""

    names: tuple[str, ...] = Field(
        default=(), description="exact list in order of preference; empty: choose by the patterns below"
    )
    file: Path | None = Field(
        default=None, description="the same in a file, a group a line, `#` begins a comment; instead of `names`"
    )
    include: tuple[str, ...] = Field(
        default=("alt.binaries.*",), description="shell patterns of groups to take from LIST"
    )
    exclude: tuple[str, ...] = Field(default=(), description="shell patterns of groups to leave out")
    limit: Annotated[int, Field(ge=1)] = Field(default=1000, description="at most so many groups, largest first")
    min_articles: Annotated[int, Field(ge=0)] = Field(default=1, description="leave out groups with fewer articles")

    def named(self) -> tuple[str, ...]:
        """The groups that are named, in order of preference; none when they are chosen by pattern.

        Raises:
            BadConfiguration: the file cannot be read, or names nothing.
        """
        if self.file is None:
            return self.names
        if self.names:
            raise BadConfiguration("groups.names and groups.file are both set; remove one of them")
        try:
            lines = self.file.read_text().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise BadConfiguration(f"groups.file: {error}; create it, with a group a line") from error
        names = tuple(name for line in lines if (name := line.partition("#")[0].strip()))
        if not names:
            raise BadConfiguration(f"groups.file {self.file} names no group; write one a line, or remove groups.file")
        return names


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

    @property
    def is_lake_remote(self) -> bool:
        """Whether the overview files lie in object storage."""
        return "://" in self.lake

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
    silence_seconds: Annotated[int, Field(ge=5)] = Field(
        default=300,
        description="a transaction whose process says nothing for so long (stopped, asleep, cut off) is rolled back, and its locks are free",
    )


class Server(_Section):
    """The Newznab endpoint and web pages."""

    host: str = Field(default="127.0.0.1", description="address to listen on; 0.0.0.0: every one of this machine")
    port: Port = Field(default=8080, description="TCP port")
    public_url: str = Field(
        default="", description="address clients use when behind a reverse proxy, e.g. https://index.example.org"
    )
    title: str = Field(default="Overlake", description="name of the index on its pages and in its feed")
    public: bool = Field(
        default=False, description="show the pages without a login; downloads, the API and the keys still need one"
    )
    workers: Annotated[int, Field(ge=1, le=64)] = Field(
        default=1, description="processes that answer requests; one a core"
    )
    trusted_proxies: tuple[str, ...] = Field(
        default=("127.0.0.0/8", "::1"),
        description="addresses or networks of reverse proxies whose X-Forwarded-* headers are believed",
    )
    sample_items: bool = Field(
        default=False, description="answer with a labelled sample item per category while the index holds nothing of it"
    )

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for network in value:
            try:
                ip_network(network)
            except ValueError as error:
                raise ValueError(f"{network} must be an address or a network: 10.0.0.0/8") from error
        return value


class Dagster(_Section):
    """How Dagster runs the work."""

    host: str = Field(default="127.0.0.1", description="address Dagster's web server listens on")
    port: Port = Field(default=3000, description="its TCP port")
    ranges_per_run: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=16, description="ranges that share the start of a run, each with its own fate"
    )
    concurrent_runs: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=2, description="runs at once: one for each core, over all machines"
    )
    keep_days: Annotated[int, Field(ge=1)] = Field(
        default=30, description="days that Dagster's finished runs and their logs are kept; materializations stay"
    )
    broker: SecretStr | None = Field(
        default=None,
        description="redis:// address of the broker that hands runs to `overlake worker`s; empty: runs start on this machine",
    )
    worker_silence_seconds: Annotated[int, Field(ge=1)] = Field(
        default=60,
        description="a worker that does not answer for so long counts as lost, and its runs start again elsewhere",
    )

    @field_validator("broker")
    @classmethod
    def _is_redis(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("redis://", "rediss://")):
            raise ValueError("must be the address of a Redis server: redis://:password@host:6379/0")
        return value


class Retention(_Section):
    """How long overview files stay in the lake once their ranges are done; catalog and chunk files stay for ever."""

    overview_months: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="months after fetching that an overview file is kept; empty: for ever"
    )
    overview_sample: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.0, description="share of the ranges whose overview files are kept for ever all the same"
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

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True)

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
    retention: Retention = Retention()
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
    _refuse_unknown_variables(os.environ)
    folder = path.resolve().parent
    if (folder / settings.data).exists() and not (folder / settings.data).is_dir():
        raise BadConfiguration(f"{path}: data: {settings.data} is not a folder; name another one")
    here = {
        "data": folder / settings.data,
        "provider": _provider(settings.provider, folder),
        "groups": _beside(settings.groups, folder, ("file",)),
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


def _provider(provider: Provider, folder: Path) -> Provider:
    files = ("ca_file", "password_file")
    accounts = {name: _beside(account, folder, files) for name, account in provider.accounts.items()}
    return _beside(provider, folder, files).model_copy(update={"accounts": accounts})


Section = TypeVar("Section", bound=_Section)


def _beside(section: Section, folder: Path, keys: Iterable[str]) -> Section:
    return section.model_copy(update={key: folder / value for key in keys if (value := getattr(section, key))})


def _refuse_unknown_variables(names: Iterable[str]) -> None:
    """Nested ones are refused by the model; of the others it knows only those it has.

    Raises:
        BadConfiguration: a variable begins like a setting's but is none.
    """
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    for name in names:
        whole = name.partition("__")[0].upper()
        if (
            name.startswith(PREFIX)
            and whole not in known
            and not any(fnmatchcase(name, other) for other in OTHER_VARIABLES)
        ):
            raise BadConfiguration(f"unknown key {name} in the environment{_nearest(whole, known)}")


def _complaint(item: Any) -> str:
    place = [str(part) for part in item["loc"]]
    if item["type"] != "extra_forbidden":
        return f"{'.'.join(place)}: {item['msg']}"
    model: type[BaseModel] = Settings
    inside: Any = None
    for part in place[:-1]:
        # A table of tables: its next part is a name, and what it holds is the second argument of `dict`.
        inside = get_args(inside)[1] if get_origin(inside) is dict else model.model_fields[part].annotation
        if isinstance(inside, type) and issubclass(inside, BaseModel):
            model = inside
    return f"unknown key {'.'.join(place)}{_nearest(place[-1], model.model_fields)}"


def _nearest(key: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(key, list(known), n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else f"; known: {', '.join(known)}"
