from __future__ import annotations

from typing import Any

import pytest

from assets.provider import account_of, shares
from store.configuration import BadConfiguration, Provider


def provider(**values: Any) -> Provider:
    return Provider.model_validate({"host": "news.example.org", **values})


def test_every_connection_of_every_account_is_in_one_share() -> None:
    accounts = {"block": {"connections": 3}, "far": {"host": "far.example.org", "connections": 16}}
    found = shares(provider(source="one", connections=20, connections_per_range=8, accounts=accounts))
    assert [(share.name, share.account.host, share.account.connections) for share in found] == [
        ("one//0", "news.example.org", 8),
        ("one//1", "news.example.org", 8),
        ("one//2", "news.example.org", 4),
        ("one/block/0", "news.example.org", 3),
        ("one/far/0", "far.example.org", 8),
        ("one/far/1", "far.example.org", 8),
    ]


def test_a_small_account_is_one_share() -> None:
    assert account_of(provider(connections=5, connections_per_range=8)).connections == 5


def test_an_account_without_a_password_says_where_to_put_it() -> None:
    with pytest.raises(BadConfiguration, match="OVERLAKE_PROVIDER__ACCOUNTS__BLOCK__PASSWORD"):
        shares(provider(accounts={"block": {"username": "two"}}))
