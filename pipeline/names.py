"""Is a name random? Measured by how many of its letter pairs are pairs that words are made of.

Words of European languages have some 60 % of their letter pairs among the commonest 90 and 90 % among all below, random
letters 13 % and 40 %; base62 also jumps between cases and digits. The logarithms of these shares are added up. What
cannot be told is called readable: a readable name is never dropped.
"""

from __future__ import annotations

import numpy as np
import polars as pl

_PAIRS = (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea "
    "ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie "
    "wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab "
    "gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du "
    "ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib tl ny ki rk ys "
    "ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af hu nn eo vo rv nf xp gn sm fl iz ok nl my gl aw ju oa "
    "eq sy sl ps jo lf nv je nk kn gs dy hy ze ks xt bs ik dd pr sk ja zu ko ka ku lm lk hl ah eh oh uh nz tz zw"
)
_COMMONEST = 90
_LOWER, _UPPER, _DIGITS = range(97, 123), range(65, 91), range(48, 58)

SHORTEST = 8
"""A shorter name is never called random."""

_ODD_BUT_MEANT = (
    r"(?i)\b(?:s\d{1,3}(?:e\d{1,4})+|\d{1,2}x\d{2,3}|\d{3,4}[pi]|[xh]\.?26[45]|(?:19|20)\d\d|dvd(?:r|rip|[59])?|xvid|divx|hdtv|"
    r"web(?:-?dl|rip)?|b[dr]rip|blu-?ray|uhd|hdr\d*|dd[p+]?\d|dts(?:-hd)?|aac\d?|ac3|flac|mp[34]|amd64|x86|x64|cd\d|disc\d|"
    r"vol\d+|v\d+|\d{1,4}(?:st|nd|rd|th|kbps|kbit|mb|gb|bit|min|fps))\b"
)
_CATALOGUE = r"^[A-Za-z]{2,6}[-_ ]?\d{2,6}[A-Za-z]?$"
_HASH = r"^\{?(?:[0-9A-Fa-f]{16,128}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})\}?$"


def _evidence_table() -> np.ndarray:
    """Tenths of a nat by which a pair speaks for words (positive) or for a generator (negative); int8[65536]."""
    table = np.zeros((256, 256), np.int8)
    for letters, rare in ((_LOWER, -19), (_UPPER, -10)):
        table[letters.start : letters.stop, letters.start : letters.stop] = rare
        table[letters.start : letters.stop, _DIGITS.start : _DIGITS.stop] = -12
        table[_DIGITS.start : _DIGITS.stop, letters.start : letters.stop] = -12
    table[_LOWER.start : _LOWER.stop, _UPPER.start : _UPPER.stop] = -20
    table[_UPPER.start : _UPPER.stop, _LOWER.start : _LOWER.stop] = -10
    for rank, pair in enumerate(_PAIRS.split()):
        for spelling in (pair, pair.upper(), pair.title()):
            table[ord(spelling[0]), ord(spelling[1])] = 15 if rank < _COMMONEST else 4
    return table.ravel()


_TABLE = _evidence_table()


def _evidence(names: pl.Series) -> np.ndarray:
    """Sum over the pairs of each name, int32; pairs of two digits or with a separator count nothing."""
    ends = np.cumsum(names.str.len_bytes().to_numpy().astype(np.int64) + 1)
    text = np.frombuffer((names.str.join("\n").item() + "\n").encode(), np.uint8)
    # Sums may wrap around; their differences are right all the same.
    sums = np.zeros(len(text), np.int32)
    np.cumsum(_TABLE[text[:-1].astype(np.uint16) << 8 | text[1:]], dtype=np.int32, out=sums[1:])
    return np.diff(sums[ends - 1], prepend=np.int32(0))


def are_random(names: pl.Series) -> pl.Series:
    """Which names (without extension) are random.

    Args:
        names: String column without nulls.

    Returns:
        A Boolean column beside it.
    """
    if names.is_empty():
        return pl.Series("random", [], pl.Boolean)
    names = names.rename("name")
    frame = pl.DataFrame({"name": names, "evidence": _evidence(names.str.replace_all(_ODD_BUT_MEANT, " "))})
    name = pl.col("name")
    # Several words are a title unless the evidence is overwhelming.
    least = pl.when(name.str.count_matches(r"[A-Za-z0-9]+") <= 2).then(-30).otherwise(-100)
    drawn = (pl.col("evidence") < least) & ~name.str.contains(_CATALOGUE)
    # Other scripts have no pairs here at all.
    foreign = name.str.len_bytes() - name.str.len_chars() > 2
    return frame.select(
        random=name.str.contains(_HASH) & name.str.contains(r"\d")
        | drawn & (name.str.len_chars() >= SHORTEST) & ~foreign
    )["random"]


_GENERIC_PROGRAM = (
    r"(?i)^(?:setup|install(?:er)?|update|codecs?|player|viewer|keygen|crack|patch|download(?:er)?)"
    r"[-_. ]*[a-z0-9]{0,6}\.(?:exe|scr|com|pif|bat|msi)$"
)


def is_generic_program(file_name: pl.Expr) -> pl.Expr:
    """Whether a file is a program whose name says nothing: a generic word and at most a few letters drawn at random.

    Virus and codec posters flood groups with them (nZEDb issues 1382 and 1439); what a program is for stands in its name.
    """
    return file_name.str.contains(_GENERIC_PROGRAM)


ONE_WORD = r"^\{?[A-Za-z0-9_-]{8,128}\}?$"
"""A subject that is one word of what random generators draw from."""


def are_tokens(texts: pl.Series) -> pl.Series:
    """Which texts are nothing but one random word, e.g. a hash."""
    text = pl.col("text")
    frame = pl.DataFrame({"text": texts}).with_row_index()
    tokens = frame.filter(~text.str.contains(" ", literal=True)).filter(text.str.contains(ONE_WORD))
    tokens = tokens.with_columns(hash=text.str.contains(_HASH))
    others = tokens.filter(~pl.col("hash"))
    mask = np.zeros(len(texts), np.bool_)
    mask[tokens.filter("hash")["index"].to_numpy()] = True
    mask[others.filter(are_random(others["text"]))["index"].to_numpy()] = True
    return pl.Series("random", mask)
