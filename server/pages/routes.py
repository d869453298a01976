"""Every page and what pages load."""

from __future__ import annotations

from litestar.handlers import HTTPRouteHandler

from server.pages.account import login, login_page, logout
from server.pages.assets import icon, script, style
from server.pages.coverage import coverage_page, group_page
from server.pages.documentation import documentation_page, help_page
from server.pages.keys import change_keys, keys_page
from server.pages.release import details, origin_page
from server.pages.search import browse_page, download_one, download_several, search_page
from server.pages.signatures import decide, signatures_page

PAGES: tuple[HTTPRouteHandler, ...] = (
    search_page,
    browse_page,
    details,
    origin_page,
    download_one,
    download_several,
    coverage_page,
    group_page,
    signatures_page,
    decide,
    keys_page,
    change_keys,
    documentation_page,
    help_page,
    login_page,
    login,
    logout,
    style,
    script,
    icon,
)
