"""The web application: Newznab API, NZBs, pages, health and metrics, put together without globals."""

from __future__ import annotations

import logging
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Litestar, MediaType, Response, get
from litestar.config.compression import CompressionConfig
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.params import SkipValidation
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.template import TemplateConfig

from pipeline.reasons import why_grouped, why_named
from server import units
from server.access import AnyRequest, TheLibrary, caller, parameters
from server.attempts import Attempts
from server.headers import spell
from server.library import Library
from server.metrics import Metrics
from server.newznab import categories
from server.newznab.answers import refusal
from server.newznab.endpoint import PATHS, api, api_v1, fault_of, getnzb, getnzbs, rss
from server.newznab.errors import NO_FUNCTION, NO_ITEM, UNKNOWN
from server.newznab.feed import title
from server.pages.assets import EDITION
from server.pages.frame import ShownInstead, failure, visitor
from server.pages.routes import PAGES
from server.sessions import Sessions
from store.catalog.connection import Catalog, CatalogUnavailable
from store.configuration import Settings
from store.disk import Disk

_TEMPLATES = Path(__file__).parent / "templates"
_LOG = logging.getLogger(__name__)


def create_app(catalog: Catalog, disk: Disk, settings: Settings) -> Litestar:
    """The application over an open catalog and the disk of the chunk files."""
    return application(Library(catalog, disk), settings, Sessions.kept_in(settings.data))


def application(library: Library, settings: Settings, sessions: Sessions) -> Litestar:
    """The application over a library; `sessions` seals the cookies of its pages."""
    metrics = Metrics.new(library.figures)
    return Litestar(
        [api, api_v1, rss, getnzb, getnzbs, health, metrics_page, *PAGES],
        dependencies={
            "library": Provide(lambda: library, sync_to_thread=False),
            "settings": Provide(lambda: settings, sync_to_thread=False),
            "metrics": Provide(lambda: metrics, sync_to_thread=False),
            "visitor": Provide(visitor, sync_to_thread=True),
        },
        state=State({"sessions": sessions, "attempts": Attempts()}),
        middleware=[metrics.measured],
        before_send=[spell],
        compression_config=CompressionConfig(
            backend="gzip", gzip_compress_level=5, exclude_opt_key="exclude_from_compression"
        ),
        template_config=TemplateConfig(instance=JinjaTemplateEngine.from_environment(templates(settings))),
        exception_handlers={ShownInstead: shown_instead, HTTPException: unroutable, Exception: broken},
        openapi_config=OpenAPIConfig(
            title=settings.server.title,
            version=version("overlake"),
            description="Newznab, NZBs, health and metrics of a header-first Usenet index.",
            render_plugins=[JsonRenderPlugin()],
        ),
        logging_config=None,
        request_max_body_size=10_000,
    )


def templates(settings: Settings) -> Environment:
    """The page templates: everything escaped, an unknown name an error."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "readable_bytes": units.readable_bytes,
        "why_grouped": why_grouped,
        "why_named": why_named,
        "age": units.age,
        "span": units.span,
        "category": categories.full_name,
        "category_path": categories.path,
        "short_group": units.short_group,
        "title": title,
    }
    functions: dict[str, Any] = {"percent": units.percent, "edition": EDITION, "public": settings.server.public}
    environment.filters.update(filters)
    environment.globals.update(functions)
    return environment


@get("/health", sync_to_thread=True)
def health(library: TheLibrary) -> Response[dict[str, str]]:
    """Whether the server can answer: 200, or 503 while the catalog does not answer. Needs no key."""
    try:
        library.check()
    except CatalogUnavailable as error:
        _LOG.error("%s", error)
        return Response({"status": "the catalog does not answer"}, status_code=503, headers={"Retry-After": "10"})
    return Response({"status": "ok"})


@get("/metrics", sync_to_thread=True, media_type=MediaType.TEXT)
def metrics_page(
    request: AnyRequest, library: TheLibrary, metrics: NamedDependency[SkipValidation[Metrics]]
) -> Response[bytes]:
    """The metrics in Prometheus' text format, for a caller with an API key."""
    if caller(request, library, parameters(request)) is None:
        return Response(b"an API key is needed: /metrics?apikey=...\n", media_type="text/plain", status_code=401)
    # Litestar adds the charset to text types by itself.
    return Response(metrics.text(), media_type="text/plain; version=0.0.4")


def unroutable(request: AnyRequest, error: HTTPException) -> Response[Any]:
    """What no handler takes (no such path, another method): XML for the API, a page for people."""
    path = request.url.path
    if path.startswith("/getnzb"):
        return refusal(request, NO_ITEM.on_download())
    if path.startswith(PATHS):
        return refusal(request, NO_FUNCTION.because(f"No such function: {request.method} is not answered here"))
    return failure(error.status_code)


def shown_instead(request: AnyRequest, error: ShownInstead) -> Response[Any]:  # noqa: ARG001 - the signature of Litestar's handlers
    """What a visitor sees in place of a page that cannot be shown."""
    return error.answer


def broken(request: AnyRequest, error: Exception) -> Response[Any]:
    """What went wrong inside: logged, and told without its insides."""
    fault = fault_of(error)
    if request.url.path.startswith(PATHS):
        return refusal(request, fault)
    status = 500 if fault is UNKNOWN else fault.status
    return failure(status, f"{fault.description}.", retry_after=fault.retry_after)
