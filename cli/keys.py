"""API keys of the Newznab endpoint and the web pages."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from cli.console import fail, out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json
from store.catalog import keys
from store.catalog.connection import Catalog
from store.configuration import load

app = App(name="keys", help="Create, list and revoke the API keys of the Newznab endpoint.")


@app.command
def create(
    name: str,
    *,
    admin: Annotated[bool, Parameter(negative="", help="The key may also administer.")] = False,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Make a key called NAME and print its secret, this once: only a hash is stored."""
    with Catalog.open(load(config)) as catalog:
        secret = keys.create(catalog, name, admin)
    if json:
        print_json({"name": name, "key": secret})
    else:
        out.print(secret)


@app.command(name="list")
def list_(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Show all keys, without their secrets."""
    with Catalog.open(load(config)) as catalog:
        rows = keys.list_keys(catalog)
    if json:
        print_json(rows)
        return
    table = Table("id", "name", "admin", "created", "revoked")
    for row in rows:
        table.add_row(
            str(row.id),
            row.name,
            "yes" if row.admin else "",
            f"{row.created_at:%Y-%m-%d}",
            f"{row.revoked_at:%Y-%m-%d}" if row.revoked_at else "",
        )
    out.print(table)


@app.command
def revoke(key_id: int, *, config: Config = DEFAULT_CONFIG) -> None:
    """Refuse key KEY-ID from now on."""
    with Catalog.open(load(config)) as catalog:
        if not keys.revoke(catalog, key_id):
            fail(f"there is no key {key_id}; see: overlake keys list")
    out.print(f"Key {key_id} is revoked.")
