import datetime
import ipaddress
import socket

import polars as pl
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from inn import article, running_inn

from pipeline.nntp.account import Account
from pipeline.nntp.connection import Compression, connect
from pipeline.nntp.errors import CertificateRefused, LoginRefused, NoSuchGroup
from pipeline.nntp.fetch import fetch_range
from pipeline.nntp.probe import list_groups, plan_group
from pipeline.overview import parse
from pipeline.ranges import Range

TEST, EMPTY = "alt.binaries.test", "alt.binaries.empty"
NOW = datetime.datetime.now(datetime.UTC)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def certificate(folder):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "news.invalid")])
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(NOW - datetime.timedelta(days=1))
        .not_valid_after(NOW + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(built.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return paths


@pytest.fixture(scope="module")
def open_inn(tmp_path_factory):
    with running_inn(tmp_path_factory.mktemp("open") / "inn", free_port(), groups=(TEST, EMPTY)) as inn:
        articles = []
        for n in range(1, 121):
            date = (NOW - datetime.timedelta(days=60) + datetime.timedelta(minutes=n)).strftime(
                "%a, %d %b %Y %H:%M:%S +0000"
            )
            articles.append((f"<{n}@x.invalid>", article(TEST, f"debian.iso ({n}/120)", f"<{n}@x.invalid>", date=date)))
        dirty = article(TEST, "caf\xe9 SUBJECT", "<dirty@x.invalid>").decode().encode("latin-1")
        inn.feed([*articles, ("<dirty@x.invalid>", dirty)])
        inn.post(article(TEST, "posted", "<posted@x.invalid>", b".\r\n..two\r\n").split(b"\r\n", 1)[1])
        yield inn


@pytest.fixture(scope="module")
def closed_inn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("closed")
    files = certificate(folder)
    with running_inn(
        folder / "inn", free_port(), users={"joe": "secret"}, certificate=files, tls_port=free_port()
    ) as inn:
        yield inn, files[0]


def account(inn, **changes):
    return Account(
        **{
            "host": "127.0.0.1",
            "port": inn.port,
            "tls": False,
            "timeout": 10.0,
            "numbers_per_request": 7,
            "connections": 3,
            **changes,
        }
    )


def test_compress_deflate_is_agreed_and_carries_overview(open_inn):
    with connect(account(open_inn)) as connection:
        assert connection.compression is Compression.DEFLATE
        reply = connection.group(TEST)
        assert (reply.count, reply.low, reply.high) == (122, 1, 122)
        whole = connection.over(1, 1000)
        assert whole.text.count(b"\r\n") == 122
        assert whole.wire_bytes < len(whole.text) / 3
        assert connection.over(5000, 6000).text == b""
        assert len(connection.date()) == 14


def test_plain_and_deflate_give_the_same_lines(open_inn):
    texts = []
    for compression in (Compression.PLAIN, Compression.DEFLATE):
        with connect(account(open_inn), compression) as connection:
            connection.group(TEST)
            texts.append(connection.over(1, 200).text)
    assert texts[0] == texts[1]


def test_a_range_is_fetched_whole_and_in_order(open_inn):
    for range_ in (Range(1, TEST, 0, 200), Range(1, TEST, 1, 50), Range(1, TEST, 3, 40)):
        expected = list(range(max(range_.first, 1), min(range_.last, 122) + 1))
        with fetch_range(account(open_inn), range_) as blocks:
            found = [parse(block.text, block.first, block.last, NOW) for block in blocks]
        numbers = pl.concat([parsed.overview for parsed in found])["number"].to_list()
        assert numbers == expected
        assert blocks.reply.high == 122
        assert blocks.form == "COMPRESS DEFLATE: plain"
        assert blocks.wire_bytes > 0
        assert sum(parsed.lines for parsed in found) == len(expected)


def test_lines_from_a_real_server_are_read_whole(open_inn):
    with connect(account(open_inn)) as connection:
        connection.group(TEST)
        parsed = parse(connection.over(119, 122).text, 119, 122, NOW)
    assert parsed.rejected.height == 0
    row = parsed.overview.row(0, named=True)
    assert row["subject"] == "debian.iso (119/120)"
    assert row["message_id"] == "119@x.invalid"
    assert row["xref"] == f"{TEST}:119"
    assert row["bytes"] > 100
    assert parsed.overview["subject"].to_list()[-2:] == ["caf\xe9 SUBJECT", "posted"]
    assert parsed.overview["posted_at"].null_count() == 0


def test_an_empty_group_is_empty(open_inn):
    with fetch_range(account(open_inn), Range(1, EMPTY, 0)) as blocks:
        assert list(blocks) == []
    assert blocks.reply.high < blocks.reply.low
    assert plan_group(account(open_inn), 1, EMPTY, size=100, now=NOW, include_open=True) == []


def test_an_unknown_group_is_named(open_inn):
    with pytest.raises(NoSuchGroup, match=r"alt\.binaries\.nowhere"):
        fetch_range(account(open_inn), Range(1, "alt.binaries.nowhere", 0))


def test_groups_are_listed(open_inn):
    assert {group.name for group in list_groups(account(open_inn), "alt.binaries.*")} == {TEST, EMPTY}


def test_ranges_are_planned_with_their_era(open_inn):
    closed = plan_group(account(open_inn), 1, TEST, size=50, now=NOW)
    assert [planned.range.index for planned in closed] == [0, 1]
    every = plan_group(account(open_inn), 1, TEST, size=50, now=NOW, include_open=True)
    assert [planned.range.index for planned in every] == [0, 1, 2]
    posted = NOW - datetime.timedelta(days=60) + datetime.timedelta(minutes=25)
    assert every[0].era == posted.year * 100 + posted.month
    assert abs(every[0].first_posted - posted) < datetime.timedelta(minutes=30)
    assert (
        plan_group(account(open_inn), 1, TEST, size=50, now=NOW, include_open=True, first_index=2)[0].range.index == 2
    )


def test_login(closed_inn):
    inn, _ = closed_inn
    with connect(account(inn, username="joe", password="secret")) as connection:
        assert connection.group(TEST).high == 0
    with pytest.raises(LoginRefused, match=r"provider\.password"):
        connect(account(inn, username="joe", password="wrong"))
    with pytest.raises(LoginRefused, match=r"provider\.username"), connect(account(inn)) as connection:
        connection.group(TEST)


def test_a_ca_file_that_cannot_be_used(closed_inn, tmp_path):
    inn, _ = closed_inn
    (tmp_path / "not.pem").write_text("no certificate")
    for name in ("missing.pem", "not.pem"):
        with pytest.raises(CertificateRefused, match="PEM"):
            connect(account(inn, port=inn.tls_port, tls=True, ca_file=tmp_path / name))


def test_tls_is_verified(closed_inn):
    inn, ca_file = closed_inn
    secure = account(inn, port=inn.tls_port, tls=True, username="joe", password="secret")
    with pytest.raises(CertificateRefused, match=r"provider\.ca_file"):
        connect(secure)
    trusting = account(inn, port=inn.tls_port, tls=True, ca_file=ca_file, username="joe", password="secret")
    with connect(trusting) as connection:
        assert connection.compression is Compression.DEFLATE
        assert connection.group(TEST).high == 0
    with pytest.raises(CertificateRefused):
        connect(account(inn, host="localhost", port=inn.tls_port, tls=True, ca_file=ca_file))
