"""The server, seen by a small client of its own."""

import asyncio
import json
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import sabctools
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from simulator.blocks import BLOCK, BlockStore, make_block, unpack, warm
from simulator.bodies import content, segment
from simulator.faults import Fault, UnknownFault, parse_fault
from simulator.history import CLEAN, DEFAULT, planned_history
from simulator.server import Listen, Provider, ServerOptions
from simulator.wire import END, FORMS, data_block, deflate, inflate, overview_text

GROUP, OTHER = "alt.binaries.first", "alt.binaries.second"
LOW = 1_000_000
FIRST, LAST = LOW + 10_000, LOW + 19_999


def history():
    return planned_history(7, (GROUP, OTHER), (60_000,), (2009, 2024), DEFAULT, LOW)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@contextmanager
def running(cache: Path, made=None, **options):
    """A provider in a thread; gives its ports."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    provider = Provider(made or history(), ServerOptions(**options), cache)
    ports = asyncio.run_coroutine_threadsafe(provider.start(), loop).result(30)
    try:
        yield ports
    finally:
        asyncio.run_coroutine_threadsafe(provider.stop(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)


class Client:
    """Lines and data blocks of every wire form."""

    def __init__(self, port, tls=None):
        raw = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket = tls.wrap_socket(raw, server_hostname="localhost") if tls else raw
        self.waiting = b""
        self.inflater = self.deflater = None
        self.greeting = self.line()

    def more(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError
        self.waiting += self.inflater.decompress(data) if self.inflater else data

    def line(self):
        while b"\r\n" not in self.waiting:
            self.more()
        line, self.waiting = self.waiting.split(b"\r\n", 1)
        return line.decode("latin-1")

    def send(self, text):
        data = text.encode() + b"\r\n"
        if self.deflater:
            data = self.deflater.compress(data) + self.deflater.flush(zlib.Z_SYNC_FLUSH)
        self.socket.sendall(data)

    def ask(self, text):
        self.send(text)
        return self.line()

    def block(self):
        """A plain data block without its end."""
        while not (self.waiting.startswith(END) or b"\r\n" + END in self.waiting):
            self.more()
        at = 0 if self.waiting.startswith(END) else self.waiting.index(b"\r\n" + END) + 2
        data, self.waiting = self.waiting[:at], self.waiting[at + 3 :]
        return data

    def everything(self):
        """A status line and its data block, or EOFError."""
        return self.line(), self.block()

    def inflated(self, window_bits):
        inflater, text = zlib.decompressobj(window_bits), b""
        while not inflater.eof:
            if not self.waiting:
                self.more()
            text += inflater.decompress(self.waiting)
            self.waiting = inflater.unused_data
        return text

    def deflate(self):
        assert self.ask("COMPRESS DEFLATE").startswith("206")
        self.inflater, self.deflater = zlib.decompressobj(-15), zlib.compressobj(wbits=-15)
        assert self.waiting == b""

    def overview(self, form, first, last):
        """The text of XOVER (or XZVER) on a port of `form`."""
        command = "XZVER" if form in {"C", "D", "D'"} else "XOVER"
        status = self.ask(f"{command} {first}-{last}")
        assert status.startswith("224"), status
        assert ("[COMPRESS=GZIP]" in status) == (form not in {"plain", "E"})
        match form:
            case "plain" | "E":
                return self.block()
            case "A":
                text = self.inflated(15)
                assert self.block() == b""
                return text
            case "B" | "C":
                text = self.inflated(15)
                assert text.endswith(END)
                return text[: -len(END)]
            case _:
                lines = self.block().split(b"\r\n")
                assert lines[0].startswith(b"=ybegin line=128")
                data = unyenc(b"".join(lines[1:-2]))
                assert int(lines[-2].split(b"crc=")[1], 16) == zlib.crc32(data)
                return zlib.decompress(data, 15 if form == "D'" else -15)


def unyenc(encoded):
    plain = re.sub(rb"=(.)", lambda match: bytes([(match[1][0] - 64) % 256]), encoded, flags=re.DOTALL)
    return (np.frombuffer(plain, dtype=np.uint8) - np.uint8(42)).tobytes()


def expected(first, last):
    """The rows of the range in the order their blocks are sent."""
    made = history()
    text = b"".join(
        inflate(make_block(made, GROUP, at).rows(first, last)) for at in range(first // BLOCK, last // BLOCK + 1)
    )
    assert text
    return text


@pytest.mark.parametrize("form", FORMS)
def test_every_wire_form_gives_the_same_rows(cache, form):
    with running(cache, listen=(Listen(0, form),)) as (port,):
        client = Client(port)
        if form in {"A", "B"}:
            assert client.ask("XFEATURE COMPRESS GZIP" + " TERMINATOR" * (form == "B")).startswith("290")
        if form == "E":
            client.deflate()
        assert client.ask(f"GROUP {GROUP}").startswith(f"211 60000 {LOW} {LOW + 59_999} ")
        assert client.overview(form, FIRST, LAST) == expected(FIRST, LAST)
        assert client.overview(form, FIRST + 4_321, LAST + 2_345) == expected(FIRST + 4_321, LAST + 2_345)
        assert client.overview(form, FIRST, LAST + 10_000) == expected(FIRST, LAST + 10_000)
        assert client.ask("DATE").startswith("111")


def test_range_forms_and_pipelining(cache):
    with running(cache) as (port,):
        client = Client(port)
        client.send(f"GROUP {GROUP}\r\nXOVER {LOW + 20}\r\nXOVER {LOW + 59_900}-\r\nOVER {LOW + 5}-{LOW + 9}\r\nDATE")
        assert client.line().startswith("211")
        numbers = []
        for _ in range(3):
            assert client.line().startswith("224")
            numbers.append({int(line.split(b"\t")[0]) for line in client.block().split(b"\n")[:-1] if b"\t" in line})
        assert numbers[0] == {LOW + 20}
        assert max(numbers[1]) == LOW + 59_999
        assert min(numbers[1]) >= LOW + 59_900
        assert numbers[2] <= set(range(LOW + 5, LOW + 10))
        assert client.line().startswith("111")


def test_a_distance_delays_what_is_sent_and_keeps_its_order(cache):
    with running(cache, latency_ms=80.0) as (port,):
        client = Client(port)
        started = time.monotonic()
        for number in range(20):
            client.send(f"GROUP {(GROUP, OTHER)[number % 2]}")
        client.send("QUIT")
        answers = [client.line() for _ in range(21)]
        assert time.monotonic() - started >= 0.08
        assert [answer.split()[-1] for answer in answers[:20]] == [GROUP, OTHER] * 10
        assert answers[20].startswith("205")


def test_status_lines(cache):
    with running(cache) as (port,):
        client = Client(port)
        assert client.greeting.startswith("200")
        assert client.ask("XOVER 1-2").startswith("412")
        assert client.ask("GROUP alt.binaries.none").startswith("411")
        assert client.ask(f"GROUP {GROUP}").startswith("211")
        assert client.ask("XOVER 1-2").startswith("423")
        assert client.ask("XOVER 20-10").startswith("423")
        assert client.ask("XOVER a-b").startswith("501")
        assert client.ask("XFEATURE COMPRESS GZIP").startswith("500")
        assert client.ask("COMPRESS DEFLATE").startswith("500")
        assert client.ask("XZVER 1-2").startswith("500")
        assert client.ask("BODY <nobody@nowhere>").startswith("430")
        assert client.ask("STAT 5").startswith("423")
        assert client.ask("NONSENSE").startswith("500")
        assert client.ask("MODE READER").startswith("201")
        assert client.ask("QUIT").startswith("205")


def test_lists(cache):
    with running(cache) as (port,):
        client = Client(port)
        assert client.ask("LIST ACTIVE *.second").startswith("215")
        assert client.block() == f"{OTHER} {LOW + 59_999:010d} {LOW:010d} n\r\n".encode()
        assert client.ask("LIST COUNTS *,!*.second").startswith("215")
        assert client.block() == f"{GROUP} {LOW + 59_999} {LOW} 60000 n\r\n".encode()
        assert client.ask("LIST OVERVIEW.FMT").startswith("215")
        assert client.block().splitlines()[-1] == b"Xref:full"
        assert client.ask("LIST NEWSGROUPS").startswith("215")
        assert len(client.block().splitlines()) == 2
        assert client.ask("CAPABILITIES").startswith("101")
        assert b"OVER" in client.block()


def test_login(cache):
    with running(cache, username="reader", password="secret") as (port,):
        client = Client(port)
        assert client.ask(f"GROUP {GROUP}").startswith("480")
        assert client.ask("AUTHINFO PASS secret").startswith("482")
        assert client.ask("AUTHINFO USER reader").startswith("381")
        assert client.ask("AUTHINFO PASS wrong").startswith("481")
        assert client.ask("AUTHINFO USER reader").startswith("381")
        assert client.ask("AUTHINFO PASS secret").startswith("281")
        assert client.ask("AUTHINFO USER reader").startswith("502")
        assert client.ask(f"GROUP {GROUP}").startswith("211")


def test_connection_limit_counts_open_connections(cache):
    with running(cache, connection_limit=2) as (port,):
        first, second = Client(port), Client(port)
        assert Client(port).greeting.startswith("502 Too many connections")
        assert first.ask("QUIT").startswith("205")
        with pytest.raises(EOFError):
            first.line()
        assert second.ask("DATE").startswith("111")
        assert Client(port).greeting.startswith("200")


def test_tls(cache, tmp_path):
    certificate, key = _certificate(tmp_path)
    context = ssl.create_default_context(cafile=str(certificate))
    with running(cache, tls_certificate=certificate, tls_key=key, listen=(Listen(0, "E"),)) as (port,):
        client = Client(port, context)
        client.deflate()
        assert client.ask(f"GROUP {GROUP}").startswith("211")
        assert client.overview("E", FIRST, LAST) == expected(FIRST, LAST)


def _certificate(folder):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private = serialization.PrivateFormat.PKCS8
    files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, private, serialization.NoEncryption()))
    return files


def test_a_file_fetched_by_message_id_decodes_to_its_content_after_a_restart(cache):
    made = planned_history(3, (GROUP,), (20_000,), (2016,), CLEAN, LOW)
    truth = made.truth(GROUP, LOW, LOW + 9_999).with_row_index()
    whole = (
        truth.group_by("file")
        .agg(pl.len(), pl.col("segments_expected").first(), "index")
        .filter(pl.col("len").is_between(2, 20) & (pl.col("len") == pl.col("segments_expected")))
    )
    rows = whole.sort("file").row(0, named=True)["index"]
    with running(cache, made) as (port,):
        client = Client(port)
        assert client.ask(f"GROUP {GROUP}").startswith("211")
        listed = client.overview("plain", LOW, LOW + 9_999).split(b"\r\n")
    lines = sorted((truth["segment"][row], listed[row].split(b"\t")) for row in rows)
    data = b""
    with running(cache, planned_history(3, (GROUP,), (20_000,), (2016,), CLEAN, LOW)) as (port,):
        client = Client(port)
        for _, fields in lines:
            assert client.ask(f"BODY {fields[4].decode()}").startswith("222")
            encoded = client.block().split(b"\r\n")
            part = unyenc(b"".join(encoded[2:-2]))
            assert f"pcrc32={zlib.crc32(part):08x}" in encoded[-2].decode()
            data += part
            assert client.ask(f"ARTICLE {fields[4].decode()}").startswith("220")
            assert len(client.block()) == pytest.approx(int(fields[6]), rel=0.005)
        assert f" crc32={zlib.crc32(data):08x}" in encoded[-2].decode()
        assert f"size={len(data)} ".encode() in encoded[0]


def test_an_article_is_found_when_only_its_own_row_was_asked_for(tmp_path):
    with running(tmp_path) as (port,):
        client = Client(port)
        client.ask(f"GROUP {GROUP}")
        row = client.overview("plain", LOW + 30_003, LOW + 30_003)
        message_id = row.split(b"\t")[4].decode()
        assert client.ask(f"STAT {message_id}") == f"223 0 {message_id}"
        assert client.ask("STAT <>").startswith("430")


def test_blocks_made_ahead_are_the_ones_served(tmp_path):
    made = planned_history(3, (GROUP, OTHER), (20_000,), (2016,), DEFAULT, LOW)
    assert list(warm(made, tmp_path))[-1] == (4, 4)
    store = BlockStore(made, tmp_path)
    block = store.at_hand(OTHER, LOW // BLOCK)
    assert block is not None
    assert inflate(block.fragment) == inflate(make_block(made, OTHER, LOW // BLOCK).fragment)


def test_any_segment_is_the_slice_of_the_file():
    made = planned_history(3, (GROUP,), (20_000,), (2016,), CLEAN, LOW)
    _, article = made.article(GROUP, LOW + 500)
    start, raw = segment(article)
    assert content(article.file, 0, start + len(raw))[start:] == raw


def test_sabctools_decodes_what_is_sent(cache):
    made = planned_history(3, (GROUP,), (20_000,), (2016,), CLEAN, LOW)
    _, article = made.article(GROUP, LOW + 500)
    with running(cache, made) as (port,):
        client = Client(port)
        client.ask(f"GROUP {GROUP}")
        client.send(f"BODY {LOW + 500}")
        decoder, received = sabctools.Decoder(1 << 21), b""
        decoder_input = memoryview(decoder)
        while not received.endswith(b"\r\n.\r\n"):
            received += client.socket.recv(1 << 20)
        decoder_input[: len(received)] = received
        decoder.process(len(received))
        response = next(decoder)
        assert response.file_size == article.size
        assert response.crc == zlib.crc32(segment(article)[1])


@pytest.mark.parametrize("kind", ["400", "502", "420", "423", "empty", "outside", "unsorted", "drop", "truncate"])
def test_a_fault_comes_once_and_then_the_answer_is_right(cache, kind):
    first, last = FIRST, LAST
    with running(cache, faults=(Fault(kind),)) as (port,):
        client = Client(port)
        client.ask(f"GROUP {GROUP}")
        if kind in {"drop", "truncate"}:
            client.send(f"XOVER {first}-{last}")
            with pytest.raises(EOFError):
                client.everything()
        elif kind in {"empty", "outside", "unsorted"}:
            text = client.overview("plain", first, last)
            assert text != expected(first, last)
            assert kind != "outside" or text.split(b"\n")[-2].startswith(b"%d\t" % (last + 1_000))
        else:
            assert client.ask(f"XOVER {first}-{last}").startswith(kind)
        again = Client(port)
        again.ask(f"GROUP {GROUP}")
        assert again.overview("plain", first, last) == expected(first, last)


def test_a_corrupt_stream_does_not_inflate(cache):
    with running(cache, listen=(Listen(0, "B"),), faults=(Fault("corrupt"),)) as (port,):
        client = Client(port)
        client.ask("XFEATURE COMPRESS GZIP TERMINATOR")
        client.ask(f"GROUP {GROUP}")
        with pytest.raises(zlib.error):
            client.overview("B", FIRST, LAST)


def test_a_stalled_answer_ends_after_the_idle_time(cache):
    with running(cache, faults=(Fault("stall"),), idle_seconds=0.5) as (port,):
        client = Client(port)
        client.ask(f"GROUP {GROUP}")
        client.send(f"XOVER {FIRST}-{LAST}")
        with pytest.raises(EOFError):
            client.everything()


def test_an_idle_client_is_sent_away(cache):
    with running(cache, idle_seconds=0.2) as (port,):
        assert Client(port).line() == "400 provider.example: Idle timeout."


def test_refused_greetings(cache):
    with running(cache, faults=(Fault("greeting_400"), Fault("greeting_502", times=0))) as (port,):
        assert Client(port).greeting.startswith("400")
        assert Client(port).greeting.startswith("400")


def test_faults_are_read_from_text():
    assert parse_fault("stall") == Fault("stall", 1.0, 1)
    assert parse_fault("502:0.25") == Fault("502", 0.25, 1)
    assert parse_fault("corrupt:0.1:0") == Fault("corrupt", 0.1, 0)
    for text in ("flood", "stall:often", "stall:1:1:1"):
        with pytest.raises(UnknownFault):
            parse_fault(text)


def test_a_block_file_that_is_cut_short_is_made_again(tmp_path):
    block = make_block(history(), GROUP, FIRST // BLOCK)
    packed = block.pack()
    assert inflate(unpack(packed).fragment) == inflate(block.fragment)
    for cut in (packed[:-1], packed[:3], b""):
        with pytest.raises(ValueError):
            unpack(cut)


def test_joined_fragments_are_one_zlib_stream():
    parts = [deflate(b"first " * 1_000), deflate(b""), deflate(b"second" * 77_777)]
    text = b"".join(map(inflate, parts))
    assert zlib.decompress(data_block("B", parts)) == text + END
    assert zlib.decompress(data_block("A", parts)[:-3]) == text


def test_no_rows_are_no_text():
    assert overview_text(history().block(GROUP, 1, 2)) == b""


def test_the_process_says_when_it_listens_and_ends_on_sigterm(tmp_path):
    ready = tmp_path / "ready.json"
    command = ["-m", "simulator", "--mix", "clean", "--groups", "2", "--sizes", "20000", "--eras", "2016"]
    served = subprocess.Popen(
        [sys.executable, *command, "--listen", "0:A", "0:E", "--ready-file", str(ready)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    told = json.loads(served.stdout.readline())
    assert told == json.loads(ready.read_text())
    assert [port["wire"] for port in told["ports"]] == ["A", "E"]
    client = Client(told["ports"][0]["port"])
    assert client.ask("GROUP alt.binaries.simulated.2").startswith("211 20000 2000000 2019999")
    served.send_signal(signal.SIGTERM)
    assert served.wait(20) == 0


def test_truth_is_written_as_parquet(tmp_path):
    path = tmp_path / "truth.parquet"
    command = ["-m", "simulator", "--mix", "default", "--groups", "1", "--sizes", "20000", "--eras", "2024"]
    subprocess.run([sys.executable, *command, "--truth", str(path)], check=True, cwd=Path(__file__).parents[2])
    frame = pl.read_parquet(path)
    assert frame.height > 19_000
    assert {"group", "number", "release", "file", "segment", "class", "level", "tool"} <= set(frame.columns)


@pytest.mark.parametrize("wrong", [["--mix", "none"], ["--listen", "1:Z"], ["--fault", "none"]])
def test_wrong_options_are_one_sentence(wrong):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "simulator", *wrong]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=root)
    assert done.returncode == 1
    assert done.stderr.startswith("simulator: ")
    assert done.stderr.count("\n") == 1
