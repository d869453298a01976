"""Who is logged in: the browser keeps its API key in a cookie that only this server can read.

The key is sealed with a secret of the server (Fernet: AES and HMAC, with the time it was made). No session has to be stored, so several
processes know the same ones and a restart ends none. The key in it is verified at every request: to rotate or revoke it ends its sessions.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Self

from cryptography.fernet import Fernet, InvalidToken

COOKIE = "overlake"
SECONDS = 14 * 24 * 3600
SESSION_FILE = "session.key"
"""In the data folder, mode 0600; to delete it and start the server again ends every session."""


class Sessions:
    """Seals and opens session cookies with a secret of 32 bytes in URL-safe base64."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._fernet = Fernet(secret)

    @classmethod
    def fresh(cls) -> Self:
        """With a secret that ends with this process."""
        return cls(Fernet.generate_key())

    @classmethod
    def kept_in(cls, folder: Path) -> Self:
        """With the secret in `folder`, which the first process that needs one makes.

        Raises:
            OSError: it cannot be read or made.
        """
        path = folder / SESSION_FILE
        if not path.exists():
            _publish(path, Fernet.generate_key())
        return cls(path.read_bytes())

    def seal(self, text: str) -> str:
        """`text` as a value of a cookie that nobody else can read or make."""
        return self._fernet.encrypt(text.encode()).decode()

    def open(self, sealed: str, seconds: int = SECONDS) -> str:
        """What was sealed within these seconds; empty for all else."""
        try:
            return self._fernet.decrypt(sealed.encode(errors="replace"), ttl=seconds).decode()
        except InvalidToken:
            return ""

    def token(self, sealed: str) -> str:
        """What forms of this session must carry: another site cannot know it."""
        return hmac.new(self._secret, b"form " + sealed.encode(), hashlib.sha256).hexdigest()[:32]


def _publish(path: Path, secret: bytes) -> None:
    """Make the file whole or not at all; of several processes the first one's stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secret)
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
