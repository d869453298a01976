"""The provider of the configuration as the NNTP client wants it, and its connections shared among all workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pipeline.nntp.account import Account
from store.catalog.connection import Catalog
from store.catalog.leases import Lease, leased
from store.configuration import BadConfiguration, Provider, variable


@dataclass(frozen=True, slots=True)
class Share:
    """Connections that one range (or the planner) uses at a time.

    Attributes:
        name: says which it is, the same on every machine.
        account: the account with the connections of this share.
    """

    name: str
    account: Account


def account_of(provider: Provider) -> Account:
    """The account of `[provider]` with the connections of one range.

    Raises:
        BadConfiguration: no host is set, or the password file cannot be used.
    """
    return shares(provider)[0].account


def accounts(provider: Provider) -> dict[str, Account]:
    """Each account by name, with the connections of one range; that of `[provider]` itself is named ``.

    Raises:
        BadConfiguration: an account has no host, or its password cannot be used.
    """
    return {
        name: _account(name, account, min(account.connections, provider.connections_per_range))
        for name, account in provider.every_account().items()
    }


def shares(provider: Provider) -> list[Share]:
    """All connections of all accounts, in shares of `connections_per_range` and what is left of each account.

    Raises:
        BadConfiguration: an account has no host, or its password cannot be used.
    """
    return [
        Share(f"{provider.source}/{name}/{nth}", _account(name, account, connections))
        for name, account in provider.every_account().items()
        for nth, connections in enumerate(_sizes(account.connections, provider.connections_per_range))
    ]


@contextmanager
def leased_account(catalog: Catalog, provider: Provider) -> Iterator[tuple[Account, Lease]]:
    """An account with connections that no other worker on any machine uses meanwhile; waits until some are free.

    Raises:
        BadConfiguration: see `shares`.
        CatalogUnavailable: Postgres does not answer.
    """
    all_shares = shares(provider)
    with leased(catalog, [share.name for share in all_shares]) as lease:
        yield all_shares[lease.place].account, lease


def _sizes(connections: int, a_range: int) -> list[int]:
    whole, left = divmod(connections, a_range)
    return [a_range] * whole + [left] * (left > 0)


def _account(name: str, provider: Provider, connections: int) -> Account:
    place = f"provider.accounts.{name}" if name else "provider"
    if not provider.host:
        raise BadConfiguration(f"{place}.host is not set; name your news server in overlake.toml, section [provider]")
    password = provider.secret(place)
    if provider.username and not password:
        raise BadConfiguration(
            f"{place}.username is set but no password; set {variable(f'{place}.password')} or {place}.password_file"
        )
    return Account(
        host=provider.host,
        port=provider.port,
        tls=provider.tls,
        ca_file=provider.ca_file,
        username=provider.username,
        password=password,
        timeout=provider.timeout,
        numbers_per_request=provider.numbers_per_request,
        connections=connections,
    )
