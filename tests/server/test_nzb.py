"""The NZB: one document per release, the same at every call, good for every parser."""

from __future__ import annotations

import gzip

import nzb as strict
import pytest
import rnzb
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from server.newznab.errors import Refused
from server.nzb import DOCTYPE, NAMESPACE, merge, nzb

N = {"n": NAMESPACE}


@pytest.fixture
def built(release_of, content_of, file_of):
    """The NZB of files, each given as the arguments of `file_of`, all in one record unless given as lists of files."""

    def build(*records):
        return nzb(release_of(1), merge([content_of(*files) for files in records]))

    return build


def names(document: bytes) -> list[str]:
    return [file.get("subject").split('"')[1] for file in etree.fromstring(document).findall("n:file", N)]


def test_strict_parsers_read_it(built, file_of):
    document = built([file_of("a.rar", 3), file_of("a.par2", 1)])
    for parsed in (strict.Nzb.from_str(document.decode()), rnzb.Nzb.from_str(document.decode())):
        assert [file.name for file in parsed.files] == ["a.par2", "a.rar"] or [file.name for file in parsed.files] == [
            "a.rar",
            "a.par2",
        ]
        assert parsed.meta.title == "Debian.12.1.netinst.amd64"
        assert parsed.meta.category == "PC > ISO"
        assert parsed.has_par2()


def test_prolog_is_what_clients_expect(built, file_of):
    document = built([file_of("a.rar", 1)])
    assert document.startswith(
        b'<?xml version="1.0" encoding="UTF-8"?>\n' + DOCTYPE + b'<nzb xmlns="http://www.newzbin.com/DTD/2003/nzb">'
    )
    assert document.endswith(b"</nzb>")
    assert b"<!--" not in document


def test_one_file_in_two_records_is_one_file_with_all_segments(built, file_of):
    document = built(
        [file_of("a.rar", 4, range(1, 3), groups=["b.b"])],
        [file_of("a.rar", 4, range(2, 5), groups=["a.a"]), file_of("b.rar", 1)],
    )
    first, second = etree.fromstring(document).findall("n:file", N)
    assert [segment.get("number") for segment in first.iterfind("n:segments/n:segment", N)] == ["1", "2", "3", "4"]
    assert [group.text for group in first.iterfind("n:groups/n:group", N)] == ["a.a", "b.b"]
    assert first.get("subject").endswith('"a.rar" yEnc (1/4)')
    assert second.get("date") == "1709374830"


def test_real_numbers_are_kept_where_segments_are_missing(built, file_of):
    document = built([file_of("a.rar", 9, range(4, 7))])
    assert [segment.get("number") for segment in etree.fromstring(document).iterfind(".//n:segment", N)] == [
        "4",
        "5",
        "6",
    ]


def test_files_are_ordered_and_par2_is_last(built, file_of):
    files = [
        file_of("x.par2", 1, file_number=1),
        file_of("b", 1),
        file_of("z.rar", 1, file_number=2),
        file_of("y.r00", 1, file_number=3),
        file_of("a", 1),
    ]
    assert names(built(files)) == ["z.rar", "y.r00", "a", "b", "x.par2"]
    assert built(files) == built(files[:2], files[2:]) == built(list(reversed(files)))


def test_what_a_client_would_choke_on_is_never_written(built, file_of, release_of):
    file, _ = file_of("a.rar", 3, subject="", poster="", groups=[], posted_at=None)
    document = built([(file, [(1, 0, "one@x"), (2, 2**30, "two@x"), (3, 10, "")])])
    (element,) = etree.fromstring(document).findall("n:file", N)
    assert element.get("subject") == '"a.rar" yEnc (1/3)'
    assert element.get("poster")
    assert element.get("date") == str(int(release_of(1).first_posted.timestamp()))
    assert [group.text for group in element.iterfind("n:groups/n:group", N)] == [
        "alt.binaries.linux",
        "alt.binaries.test",
    ]
    assert [segment.get("bytes") for segment in element.iter(f"{{{NAMESPACE}}}segment")] == ["1", str(2**23 - 1)]
    assert strict.Nzb.from_str(document.decode()).files


def test_nothing_to_download_is_refused(built, file_of):
    with pytest.raises(Refused):
        built([(file_of("a.rar", 1)[0], [])])
    assert len(names(built([(file_of("a.rar", 1)[0], []), file_of("b.rar", 1)]))) == 1


anything = st.text(alphabet=st.characters(exclude_categories=("Cs",)))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=anything, subject=anything, poster=anything, message_id=anything.filter(lambda text: text != ""))
def test_any_text_gives_well_formed_xml_with_the_same_bytes(
    release_of, content_of, file_of, name, subject, poster, message_id
):
    file, _ = file_of("x", 1, name=name, subject=subject, poster=poster)
    contents = [content_of((file, [(1, 10, message_id)]))]
    document = nzb(release_of(1, name=name), merge(contents))
    assert document == nzb(release_of(1, name=name), merge(contents))
    (element,) = etree.fromstring(document).findall("n:file", N)
    assert element.get("subject")
    assert "(1/1)" in element.get("subject")


def test_download(client, shelf, secret):
    release = shelf.releases[0]
    answers = [
        client.get(f"/getnzb/{release.id.hex}.nzb?apikey={secret}"),
        client.get(f"/getnzb/{release.id}?r={secret}"),
        client.get(f"/api?t=get&id={release.id.hex}&apikey={secret}"),
        client.get(f"/api?t=g&guid={release.id.hex}&apikey={secret}", headers={"Accept-Encoding": "gzip"}),
    ]
    assert len({answer.content for answer in answers}) == 1
    for answer in answers:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/x-nzb"
    assert int(answers[0].headers["content-length"]) == len(answers[0].content)
    assert answers[3].headers["content-encoding"] == "gzip"
    assert int(answers[3].headers["content-length"]) < len(gzip.compress(answers[3].content)) + 100
    assert shelf.uses == ["get"] * 4
    assert (
        client.head(f"/getnzb/{release.id.hex}.nzb?apikey={secret}").headers["content-length"]
        == answers[0].headers["content-length"]
    )


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/getnzb/{id}.nzb", 401, 100),
        ("/getnzb/{id}.nzb?apikey=wrong", 401, 100),
        ("/api?t=get&id={id}", 401, 100),
        ("/getnzb/00000000000000000000000000000099.nzb?apikey={key}", 404, 300),
        ("/getnzb/..%2F..%2Fetc.nzb?apikey={key}", 404, 300),
        ("/getnzb/%00.nzb?apikey={key}", 404, 300),
        ("/api?t=get&apikey={key}", 400, 200),
        ("/api?t=get&id=x&apikey={key}", 404, 300),
    ],
)
def test_refused_downloads_have_a_status_of_their_own(client, shelf, secret, path, status, code):
    answer = client.get(path.format(id=shelf.releases[0].id.hex, key=secret))
    assert (answer.status_code, etree.fromstring(answer.content).get("code")) == (status, str(code))


@pytest.mark.parametrize(
    ("name", "plain", "encoded"),
    [
        ("Debian 12 [amd64]", 'filename="Debian 12 [amd64].nzb"', "UTF-8''Debian%2012%20%5Bamd64%5D.nzb"),
        ("Été", 'filename="t.nzb"', "UTF-8''%C3%89t%C3%A9.nzb"),
        ('a"b\\c/d\r\nX-Evil: 1', 'filename="a b c d X-Evil 1.nzb"', "UTF-8''a%20b%20c%20d%20X-Evil%201.nzb"),
        ("日本", 'filename="00000000000000000000000000000001.nzb"', "UTF-8''%E6%97%A5%E6%9C%AC.nzb"),
    ],
)
def test_both_file_name_forms_the_quoted_ascii_one_first(client, shelf, secret, name, plain, encoded, release_of):
    release = release_of(1, name=name)
    shelf.releases[0] = release
    answer = client.get(f"/getnzb/{release.id.hex}.nzb?apikey={secret}")
    assert answer.headers["content-disposition"] == f"attachment; {plain}; filename*={encoded}"
    assert answer.headers["x-dnzb-category"] == "PC > ISO"
    assert "x-evil" not in answer.headers
