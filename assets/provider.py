"""The provider of the configuration as the NNTP client wants it."""

from __future__ import annotations

from pipeline.nntp.account import Account
from store.configuration import BadConfiguration, Provider


def account_of(provider: Provider) -> Account:
    """The account that one range (or the planner) uses, with its share of the connections.

    Raises:
        BadConfiguration: no host is set, or the password file cannot be used.
    """
    if not provider.host:
        raise BadConfiguration("provider.host is not set; name your news server in overlake.toml, section [provider]")
    password = provider.secret()
    if provider.username and not password:
        raise BadConfiguration(
            "provider.username is set but no password; set OVERLAKE_PROVIDER__PASSWORD or provider.password_file"
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
        connections=min(provider.connections, provider.connections_per_range),
    )
