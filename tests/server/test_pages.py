"""The web pages: private, complete without JavaScript, everything escaped."""

from __future__ import annotations

import pytest
from lxml import html

from server.newznab.errors import DAMAGED, Refused
from server.pages.frame import local


@pytest.fixture
def browser(client, secret):
    """A browser that has logged in."""
    assert client.post("/login", data={"apikey": secret, "following": "/"}, follow_redirects=False).status_code == 303
    return client


@pytest.mark.parametrize("path", ["/", "/details/00000000000000000000000000000001", "/?q=x&apikey=wrong"])
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
    browser.post("/logout")
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
    assert page.xpath("//a[@class='get']/@href") == [f"/getnzb/{shelf.releases[0].id.hex}.nzb"]
    assert (shelf.searches[0].categories, shelf.searches[0].min_bytes) == ((4000,), 1073741824)
    assert not page.xpath("//script")


def test_a_logged_in_browser_downloads_without_a_key(browser, shelf):
    assert browser.get(f"/getnzb/{shelf.releases[0].id.hex}.nzb").status_code == 200


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
    assert browser.get("/details/nothing").status_code == 404
    shelf.damaged = Refused(DAMAGED)
    assert "damaged" in browser.get(f"/details/{shelf.releases[0].id.hex}").text


def test_hostile_names_stay_text(browser, shelf, release_of):
    shelf.releases[:] = [
        release_of(1, name="<script>alert(1)</script>", poster='"><img src=x onerror=y>', groups=("<b>",))
    ]
    for path in ("/", "/?q=<script>", f"/details/{shelf.releases[0].id.hex}"):
        answer = browser.get(path)
        assert "<script" not in answer.text
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
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/metrics").status_code == 401
    assert 'overlake_answers_total{kind="health",status="200"}' in client.get(f"/metrics?apikey={secret}").text
