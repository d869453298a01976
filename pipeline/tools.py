"""Posting tools, recognised by the template of their message-ids.

Domains lie: a tool is named only when local part and domain both fit its template, and the subject does not speak against it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl


@dataclass(frozen=True, slots=True)
class Template:
    """How a tool writes its message-ids."""

    name: str
    tool: str
    ending: str
    """Literal end of the id; empty: any."""
    pattern: str


_DRAWN = r"[a-z]{0,8}[A-Z0-9_-][A-Za-z0-9_-]{0,8}"
"""A drawn domain: not all lower-case letters, as real ones are."""

TEMPLATES = (
    Template("nyuu", "Nyuu", "@nyuu", r"^[A-Za-z]{24}-\d{13}@"),
    Template("nyuu-2016", "Nyuu", "@nyuu", r"^\d{13}\.[0-9a-f]{32}@"),
    Template("private", "Nyuu", "@PRiVATE", r"^[A-Za-z0-9-]{16,64}@"),
    Template("ngpost", "ngPost", "@ngPost", r"^(?:[0-9a-f]{32}|\{[0-9a-f-]{36}\})@"),
    Template("usenetsync", "UsenetSync", "@ngPost.com", r"^[a-z0-9]{16}@"),
    Template("powerpost", "PowerPost", "@powerpost2000AA.local", r"^part\d+of\d+\.[0-9A-Za-z$&]{20,24}@"),
    Template("camelsystem", "Camelsystem", "@camelsystem-powerpost.local", r"^part\d+of\d+\.[0-9A-Za-z$&]{20,24}@"),
    Template("part-of", "PowerPost", "", r"^part\d+of\d+\.[0-9A-Za-z$&]{20,24}@"),
    Template("part-of-guid", "", ".local", r"^Part\d+of\d+\.[0-9A-F]{32}@\d{9,10}\.local$"),
    Template("jbinup", "JBinUp", "@JBinUp.local", r"^[A-Za-z0-9]{19,20}(?:_\d+o\d+)?@"),
    Template("jbindown", "JBinDown", "@JBinDown.local", r"^[A-Za-z0-9]{32}\.\d+-\d+@"),
    Template("goposttuff", "GoPostStuff", "$gps@gopoststuff", r"^\d{19}\$gps@"),
    Template("newsup", "NewsUP", ".newsup", r"^\d{11,17}\.[0-9a-z]+@[0-9a-z]+\.newsup$"),
    Template("agent", "Forte Agent", "@4ax.com", r"^[0-9a-v]{34}@"),
    Template("pan", "Pan", "", r"^pan\$[0-9a-f]+\$[0-9a-f]+\$[0-9a-f]+\$[0-9a-f]+@"),
    Template("newsmangler", "newsmangler", "", r"^\d{9,10}\.\d{1,6}\.\d+@"),
    Template("giganews", "", "@giganews.com", r"^.{16,44}@"),
    Template("pesto", "pesto", "", r"^[0-9a-f]{14,16}\.[0-9a-f]{1,8}\.[0-9a-f]{16}@[a-z]{8,15}\.(?:com|net|org)$"),
    Template("nxg", "nxg", "", r"^[0-9a-f]{40}@[0-9a-f]{21}\.[0-9a-f]{3}$"),
    Template("postie", "Postie", "", rf"^[A-Za-z0-9]{{32}}@{_DRAWN}\.[A-Za-z0-9]{{3}}$"),
    Template("nntpposter", "nntpPoster", "", rf"^[A-Za-z0-9_-]{{20,29}}@{_DRAWN}\.[A-Za-z0-9_-]{{3}}$"),
    Template("uuid", "", "", r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}@"),
    Template("post2usenet", "post2usenet", "", r"^[a-z0-9]{16}\.\d+\.\d+@"),
    Template("letters-time", "", "", r"^[A-Za-z]{24}-\d{13}@"),
    Template("hex32", "", "", r"^[0-9a-fA-F]{32}@"),
)
OTHER = "other"
TOOLS = {template.name: template.tool for template in TEMPLATES}


def templates(message_ids: pl.Series) -> pl.Series:
    """The name of the first template each message-id fits, `other` when none does.

    Args:
        message_ids: String column without nulls and angle brackets.
    """
    names = np.full(len(message_ids), -1, np.int16)
    frame = pl.DataFrame({"id": message_ids}).with_row_index()
    for ordinal, template in enumerate(TEMPLATES):
        fits = pl.col("id").str.ends_with(template.ending) & pl.col("id").str.contains(template.pattern)
        if template.ending:
            # The literal end first: it spares most rows the pattern.
            candidates = frame.filter(pl.col("id").str.ends_with(template.ending))
            fits = pl.col("id").str.contains(template.pattern)
        else:
            candidates = frame
        found = candidates.filter(fits)["index"]
        if len(found):
            names[found.to_numpy()] = ordinal
            frame = frame.filter(~pl.col("index").is_in(found.implode()))
    labels = pl.Series([*(template.name for template in TEMPLATES), OTHER])
    return labels.gather(np.where(names < 0, len(TEMPLATES), names)).rename("template")


_WITHOUT_YENC = ("ngPost", "NewsUP")
"""Tools that never write yEnc into a subject."""
_EITHER = ("Forte Agent", "UsenetSync", "nxg", "")
_BY_FROM = (
    # From, whether yEnc stands in the subject, and the tool: where the server makes the ids, posters.md section 1.
    (r"\(Yenc-PP-A&A\)", True, "PowerPost"),
    (r"(?i)newsup@somewhere\.cbr", False, "NewsUP"),
    (r"^<?[A-Za-z0-9]{13}@ngPost\.com>?$", False, "ngPost"),
)


_COUNTED = r"^[Pp]art(\d+)of(\d+)\.|_(\d+)o(\d+)@"
"""Ids that repeat the segment counter: PowerPost, JBinUp."""


def tool_of(articles: pl.DataFrame) -> pl.Series:
    """The posting tools, empty where none is known: message-id, subject and From must not contradict each other.

    NewsUP and others imitate the ids of other tools, but not their subjects; servers make ids of their own for tools that send none,
    and From or subject tell those.

    Args:
        articles: `template` as `templates` gives it; `shape` of `subjects.PARSED`, empty where the subject is no file's; `poster`;
            `message_id`; `segment` and `segments` of its segment counter.
    """
    shape = pl.col("shape")
    facts = articles.select(
        "poster",
        tool=pl.col("template").replace_strict(TOOLS, default="", return_dtype=pl.String),
        yenc=shape.str.contains("y", literal=True),
        of=shape.str.contains("of", literal=True),
        a_file=shape != "",
        miscounted=_miscounted(articles),
    )
    tool, yenc = pl.col("tool"), pl.col("yenc")
    imitated = pl.col("a_file") & (tool.is_in(_WITHOUT_YENC) == yenc) & ~tool.is_in(_EITHER)
    told = pl.when(pl.col("of") & yenc).then(pl.lit("newspost")).otherwise(pl.lit(""))
    for pattern, writes_yenc, name in _BY_FROM:
        told = (
            pl.when(pl.col("poster").str.contains(pattern) & (yenc == writes_yenc)).then(pl.lit(name)).otherwise(told)
        )
    known = pl.when(imitated | pl.col("miscounted")).then(pl.lit("")).when(tool == "").then(told).otherwise(tool)
    return facts.select(tool=known).to_series()


def _miscounted(articles: pl.DataFrame) -> pl.Series:
    """Which ids repeat a segment counter, and another one than the subject's."""
    counting = articles["message_id"].str.contains(_COUNTED).arg_true()
    said = articles[counting].select("segment", "segments", said=pl.col("message_id").str.extract_groups(_COUNTED))
    numbers = pl.col("said").struct
    segment = pl.coalesce(numbers[0], numbers[2]).cast(pl.Int64, strict=False)
    segments = pl.coalesce(numbers[1], numbers[3]).cast(pl.Int64, strict=False)
    wrong = said.select((segment != pl.col("segment")) | (segments != pl.col("segments"))).to_series()
    return pl.repeat(value=False, n=articles.height, eager=True).scatter(counting, wrong.fill_null(value=False))
