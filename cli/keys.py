"""API keys of the Newznab endpoint and the web pages."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from cli.console import fail, out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json
from store.catalog import keys
from store.catalog.connection import Catalog
from store.catalog.keys import BadKey, Limits
from store.configuration import load

app = App(name="keys", help="Create, list, rotate, limit and revoke the API keys of the Newznab endpoint.")

ApiLimit = Annotated[
    int | None, Parameter(help="API calls and feeds a UTC day allows, 15 or more; any number unless given.")
]
GetLimit = Annotated[int | None, Parameter(help="Downloads a UTC day allows; any number unless given.")]


@app.command
def create(
    name: str,
    *,
    admin: Annotated[bool, Parameter(negative="", help="The key may also administer.")] = False,
    api_limit: ApiLimit = None,
    get_limit: GetLimit = None,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Make a key called NAME and print its secret, this once: only a hash is stored."""
    with Catalog.open(load(config)) as catalog:
        try:
            secret = keys.create(catalog, name, admin, Limits(api_limit, get_limit))
        except BadKey as error:
            fail(str(error))
    _show(name, secret, json)


@app.command(name="list")
def list_(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Show all keys, without their secrets."""
    with Catalog.open(load(config)) as catalog:
        rows = keys.list_keys(catalog)
    if json:
        print_json(rows)
        return
    table = Table("id", "name", "admin", "API calls a day", "downloads a day", "created", "revoked")
    for row in rows:
        table.add_row(
            str(row.id),
            row.name,
            "yes" if row.admin else "",
            str(row.api_limit or "any"),
            str(row.get_limit or "any"),
            f"{row.created_at:%Y-%m-%d}",
            f"{row.revoked_at:%Y-%m-%d}" if row.revoked_at else "",
        )
    out.print(table)


@app.command
def rotate(key_id: int, *, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Give key KEY-ID a new secret and print it, this once; the old one is refused from now on."""
    with Catalog.open(load(config)) as catalog:
        secret = keys.rotate(catalog, key_id)
        name = next((row.name for row in keys.list_keys(catalog) if row.id == key_id), "")
    if secret is None:
        fail(_unknown(key_id))
    _show(name, secret, json)


@app.command
def limit(
    key_id: int, *, api_limit: ApiLimit = None, get_limit: GetLimit = None, config: Config = DEFAULT_CONFIG
) -> None:
    """Set what key KEY-ID may do a day; a limit that is not given is taken away."""
    with Catalog.open(load(config)) as catalog:
        try:
            known = keys.limit(catalog, key_id, Limits(api_limit, get_limit))
        except BadKey as error:
            fail(str(error))
    if not known:
        fail(_unknown(key_id))
    out.print(
        f"Key {key_id}: {api_limit or 'any number of'} API calls and {get_limit or 'any number of'} downloads a day."
    )


@app.command
def revoke(key_id: int, *, config: Config = DEFAULT_CONFIG) -> None:
    """Refuse key KEY-ID from now on."""
    with Catalog.open(load(config)) as catalog:
        if not keys.revoke(catalog, key_id):
            fail(f"there is no key {key_id}; see: overlake keys list")
    out.print(f"Key {key_id} is revoked.")


def _show(name: str, secret: str, json: bool) -> None:
    if json:
        print_json({"name": name, "key": secret})
    else:
        out.print(secret)


def _unknown(key_id: int) -> str:
    return f"there is no key {key_id}, or it is revoked; see: overlake keys list"
