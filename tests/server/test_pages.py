"""The web pages: private, complete without JavaScript, everything escaped."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from uuid import UUID
from zipfile import ZipFile

import pytest
from litestar.testing import TestClient
from lxml import html

from server.app import application
from server.newznab.errors import DAMAGED, Refused
from server.pages.frame import local
from server.sessions import Sessions
from store.configuration import Settings


@pytest.fixture
def browser(client, secret):
    """A browser that has logged in."""
    assert client.post("/login", data={"apikey": secret, "following": "/"}, follow_redirects=False).status_code == 303
    return client


def token(browser):
    """What the forms of this browser carry."""
    return html.fromstring(browser.get("/").text).xpath("//form[@action='/logout']//input[@name='token']/@value")[0]


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/browse",
        "/keys",
        "/signatures",
        "/documentation",
        "/help",
        "/download?id=1",
        "/details/00000000000000000000000000000001",
        "/?q=x&apikey=wrong",
    ],
)
def test_a_stranger_sees_a_login_and_no_release(client, path):
    answer = client.get(path)
    assert answer.status_code == 401
    assert "Debian" not in answer.text
    assert html.fromstring(answer.text).xpath("//form[@action='/login']//input[@name='apikey']")


def test_login_goes_on_to_what_was_asked(client, secret):
    form = html.fromstring(client.get("/?q=debian&cat=4000").text)
    following = form.xpath("//input[@name='following']/@value")[0]
    assert following == "/?q=debian&cat=4000"
    answer = client.post("/login", data={"apikey": secret, "following": following}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, following)
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()
    assert secret not in cookie
    assert client.get(following).status_code == 200


def test_a_wrong_key_is_told(client):
    answer = client.post("/login", data={"apikey": "wrong"})
    assert answer.status_code == 401
    assert "not valid" in answer.text


@pytest.mark.parametrize(
    "address", ["//evil.example", "https://evil.example", "/\\evil.example", "evil", "", "/\r\nX: y"]
)
def test_a_login_never_forwards_to_another_site(address):
    assert local(address) == "/"


def test_a_key_in_the_address_logs_in_and_leaves_the_address(client, secret):
    answer = client.get(f"/?q=debian&apikey={secret}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/?q=debian")
    assert "Debian" in client.get("/?q=debian").text


def test_logout_and_a_revoked_key_end_the_session(browser, shelf):
    shelf.revoked = True
    assert browser.get("/").status_code == 401
    shelf.revoked = False
    assert browser.get("/").status_code == 200
    assert browser.post("/logout", data={"token": token(browser)}, follow_redirects=False).status_code == 303
    assert browser.get("/").status_code == 401


def test_only_a_login_sets_a_cookie_and_never_under_an_id_the_client_made_up(client, secret):
    for path in ("/", "/health", f"/api?t=search&apikey={secret}"):
        assert "set-cookie" not in client.get(path).headers
    answer = client.post(
        "/login", data={"apikey": secret}, headers={"Cookie": "overlake=chosen"}, follow_redirects=False
    )
    assert "chosen" not in answer.headers["set-cookie"]


def test_search_page(browser, shelf):
    page = html.fromstring(browser.get("/?q=debian&cat=4000&minsize=1073741824").text)
    assert page.xpath("//input[@name='q']/@value") == ["debian"]
    assert page.xpath("//select[@name='cat']/option[@selected]/@value") == ["4000"]
    assert page.xpath("//td[@class='name']/a/text()") == ["Debian.12.1.netinst.amd64"]
    assert page.xpath("//a[@class='get']/@href") == [f"/download/{shelf.releases[0].id.hex}.nzb"]
    assert (shelf.searches[0].categories, shelf.searches[0].min_bytes) == ((4000,), 1073741824)
    assert [script.get("src").split("?")[0] for script in page.xpath("//script")] == ["/script.js"]
    assert not page.xpath("//*[@style or @onclick] | //style | //script[text()]")


def test_a_logged_in_browser_downloads_without_a_key(browser, shelf):
    name = shelf.releases[0].id.hex
    assert browser.get(f"/download/{name}.nzb").content == browser.get(f"/getnzb/{name}.nzb").content


def test_pages_of_results(browser, shelf, release_of):
    shelf.releases[:] = [release_of(number) for number in range(1, 121)]
    first = html.fromstring(browser.get("/?q=debian").text)
    (later,) = first.xpath("//a[@rel='next']/@href")
    assert later == "/?q=debian&offset=50"
    last = html.fromstring(browser.get("/?q=debian&offset=100").text)
    assert not last.xpath("//a[@rel='next']")
    assert len(last.xpath("//td[@class='name']")) == 20


def test_nothing_found_and_a_bad_filter(browser):
    assert "Nothing found" in browser.get("/?q=nothing-like-this").text
    assert browser.get("/?cat=x").status_code == 400


def test_details_page(browser, shelf):
    page = html.fromstring(browser.get(f"/details/{shelf.releases[0].id.hex}").text)
    assert page.xpath("//h1/text()") == ["Debian.12.1.netinst.amd64"]
    assert page.xpath("//table//td[@class='name']/text()") == ["debian.iso", "debian.iso.vol0+1.par2"]
    assert page.xpath("//section[contains(@class, 'repair')]/h2/text()") == ["Nothing is missing"]
    assert browser.get("/details/nothing").status_code == 404
    shelf.damaged = Refused(DAMAGED)
    assert "damaged" in browser.get(f"/details/{shelf.releases[0].id.hex}").text


def test_hostile_names_stay_text(browser, shelf, release_of):
    shelf.releases[:] = [
        release_of(1, name="<script>alert(1)</script>", poster='"><img src=x onerror=y>', groups=("<b>",))
    ]
    for path in ("/", "/?q=<script>", f"/details/{shelf.releases[0].id.hex}"):
        answer = browser.get(path)
        assert "<script>" not in answer.text
        assert "<img" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_unknown_pages_and_a_catalog_that_is_down(browser, shelf):
    assert browser.get("/nothing").status_code == 404
    shelf.down = True
    answer = browser.get("/")
    assert answer.status_code == 503
    assert "catalog" in answer.text


def test_style_health_and_metrics(client, secret):
    assert "prefers-color-scheme: dark" in client.get("/style.css").text
    assert client.get("/script.js").headers["content-type"].startswith("text/javascript")
    assert client.get("/icon.svg").headers["content-type"] == "image/svg+xml"
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/metrics").status_code == 401
    assert 'overlake_answers_total{kind="health",status="200"}' in client.get(f"/metrics?apikey={secret}").text


def test_every_filter_is_in_the_address_and_in_the_form(browser, shelf, secret):
    asked = "q=debian&cat=4020&group=alt.binaries.linux&poster=peng&minsize=104857600&maxsize=7&minage=1&maxage=36000&completeness=90&sort=size"
    page = html.fromstring(browser.get(f"/?{asked}&limit=3&unknown=1").text)
    form = page.xpath("//form[@class='search']")[0]
    filled = {name: value for name, value in form.form_values() if value}
    assert "&".join(f"{name}={value}" for name, value in sorted(filled.items())) == "&".join(sorted(asked.split("&")))
    assert form.xpath(".//details[@open]")
    (feed,) = page.xpath("//link[@rel='alternate']/@href")
    assert feed.startswith("http://testserver.local/rss?")
    assert browser.get(feed.removeprefix("http://testserver.local")).status_code == 200
    paged, fed = shelf.searches[-2:]
    assert (paged.text, paged.categories, paged.min_bytes, paged.order) == ("debian*", (4020,), 104857600, "largest")
    assert fed == replace(paged, limit=100)


def test_several_are_downloaded_as_a_zip_by_a_plain_form(browser, shelf, content_of, file_of):
    shelf.contents[shelf.releases[1].id] = [content_of(file_of("night.mkv", 2))]
    page = html.fromstring(browser.get("/").text)
    form = page.xpath("//form[@class='results']")[0]
    boxes = form.xpath(".//input[@type='checkbox']/@value")
    assert boxes == [release.id.hex for release in shelf.releases]
    answer = browser.get(f"{form.get('action')}?id={boxes[0]}&id={boxes[1]}")
    with ZipFile(BytesIO(answer.content)) as archive:
        assert archive.namelist() == ["Debian.12.1.netinst.amd64.nzb", "Night.of.the.Living.Dead.1968.nzb"]
    assert browser.get("/download").status_code == 400
    assert "100 at most" in browser.get("/download?" + "&".join(f"id={n}" for n in range(101))).text


def test_a_used_up_limit_and_a_missing_release_are_told_as_pages(browser, shelf):
    shelf.limits = (None, 1)
    address = f"/download/{shelf.releases[0].id.hex}.nzb"
    assert browser.get(address).status_code == 200
    answer = browser.get(address)
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    assert html.fromstring(answer.text).xpath("//h1/text()") == ["Limit reached"]
    missing = browser.get("/download/00000000000000000000000000000099.nzb")
    assert (missing.status_code, missing.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "</html>" in missing.text


def test_files_are_paged_and_missing_articles_named(browser, shelf, release_of, content_of, file_of):
    files = [file_of(f"part{number:03}.rar", 9) for number in range(400)]
    files[0] = file_of("part000.rar", 9, [1, 2, 4, 8])
    shelf.add(release_of(7), content_of(*files))
    first = html.fromstring(browser.get(f"/details/{UUID(int=7).hex}").text)
    assert first.xpath("//table//td[@class='name']/small/text()") == ["missing 3, 5-7, 9"]
    assert len(first.xpath("//table//tbody/tr")) == 150
    (following,) = first.xpath("//a[@rel='next']/@href")
    last = html.fromstring(browser.get(f"/details/{UUID(int=7).hex}?page=99").text)
    assert (following, len(last.xpath("//table//tbody/tr")), last.xpath("//a[@rel='next']")) == ("?page=2", 100, [])


def test_no_page_is_larger_than_100_kb(browser, shelf, release_of, content_of, file_of):
    long = "A.very.long.name.of.a.release.as.posters.like.to.write.it." * 3
    shelf.releases[:] = [release_of(number, name=f"{long}{number}") for number in range(1, 101)]
    shelf.contents[UUID(int=1)] = [content_of(*(file_of(f"{long}{n}.rar", 99, range(1, 99, 2)) for n in range(300)))]
    for path in ("/", "/browse", f"/details/{UUID(int=1).hex}", "/documentation", "/help"):
        assert len(browser.get(path).content) < 100_000, path


def test_a_form_of_another_site_or_session_is_refused(browser, secret):
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = browser.post("/logout", data={"token": token(browser)}, headers=headers)
        assert answer.status_code == 403
        assert browser.post("/login", data={"apikey": secret}, headers=headers).status_code == 403
    for wrong in ("", "0" * 32, "é"):
        assert browser.post("/logout", data={"token": wrong}).status_code == 403
    assert browser.get("/").status_code == 200
    own = {"Origin": "http://testserver.local", "Sec-Fetch-Site": "same-origin"}
    assert browser.post("/login", data={"apikey": secret}, headers=own, follow_redirects=False).status_code == 303


@pytest.mark.parametrize("attempt", ["form", "address"])
def test_who_guesses_keys_has_to_wait(client, secret, attempt):
    def wrong(key):
        return client.post("/login", data={"apikey": key}) if attempt == "form" else client.get(f"/?apikey={key}")

    assert [wrong(f"guess {number}").status_code for number in range(10)] == [401] * 10
    answer = wrong(secret)
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 300
    assert html.fromstring(answer.text).xpath("//h1/text()") == ["Limit reached"]
    assert client.get("/").status_code == 401


def test_a_public_index_shows_its_pages_and_keeps_downloads_keys_and_the_api(shelf, secret):
    settings = Settings.model_validate({"server": {"public": True}})
    with TestClient(application(shelf, settings, Sessions.fresh())) as client:
        page = html.fromstring(client.get("/").text)
        assert page.xpath("//td[@class='name']/a/text()")
        assert not page.xpath(
            "//form[@action='/logout'] | //link[@rel='alternate'] | //a[starts-with(@href, '/download')]"
        )
        name = shelf.releases[0].id.hex
        for path in (f"/download/{name}.nzb", f"/getnzb/{name}.nzb", "/keys", "/signatures"):
            assert client.get(path).status_code == 401, path
        assert client.post("/keys/change", data={"do": "create", "name": "x", "token": ""}).status_code == 403
        assert 'code="100"' in client.get("/api?t=search").text
        shown = html.fromstring(client.get("/login?following=/keys").text)
        assert shown.xpath("//input[@name='following']/@value") == ["/keys"]
        answer = client.post("/login", data={"apikey": secret, "following": "/browse"}, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/browse")


def test_the_cookie_is_secure_behind_https(client, shelf, secret):
    answer = client.post(
        "/login", data={"apikey": secret}, headers={"X-Forwarded-Proto": "https"}, follow_redirects=False
    )
    assert "Secure" not in answer.headers["set-cookie"], "nobody said that this peer is a proxy"
    settings = Settings.model_validate({"server": {"public_url": "https://index.example.org"}})
    with TestClient(application(shelf, settings, Sessions.fresh())) as secure:
        answer = secure.post("/login", data={"apikey": secret}, follow_redirects=False)
    assert "Secure" in answer.headers["set-cookie"]


def test_an_error_inside_is_a_page_without_its_insides(browser, shelf, caplog):
    shelf.releases = None
    answer = browser.get("/")
    assert answer.status_code == 500
    assert "NoneType" not in answer.text
    assert "NoneType" in caplog.text


def test_no_secret_is_logged(client, secret, caplog):
    caplog.set_level("DEBUG")
    caplog.set_level("WARNING", "httpx")  # the client's log, not the server's
    client.get(f"/?apikey={secret}")
    client.post("/login", data={"apikey": secret})
    client.post("/login", data={"apikey": "x" + secret})
    assert secret not in caplog.text
