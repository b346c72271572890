"""A code that signs a person in once: short enough to be typed, and good for minutes."""

import hmac
import secrets
import threading
from datetime import timedelta

from waypost.faces.guard.tokens import digest_of
from waypost.model.time import Clock, utc_now

LIFE = timedelta(minutes=10)
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # without 0 O 1 I L U: nobody mistakes one for another
_LENGTH = 10  # 49 bits: `_TRIES` guesses are nothing
_TRIES = 10  # wrong ones; then only the token opens
_LONGEST = 64  # characters of what is looked at as a code


class SignInCode:
    """One code, kept in this process as a hash. It opens once, within its time, and not after too many wrong tries."""

    def __init__(self, clock: Clock = utc_now, *, life: timedelta = LIFE) -> None:
        plain = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
        self._digest = digest_of(plain)
        self._shown: str | None = f"{plain[:5]}-{plain[5:]}"
        self._clock, self._tries = clock, _TRIES
        self.expires = clock() + life
        self._guard = threading.Lock()

    def shown(self) -> str:
        """The code as a person reads it. It is told once; after that only its hash is there."""
        if self._shown is None:
            raise ValueError("a code is told once")
        shown, self._shown = self._shown, None
        return shown

    def opens(self, text: str) -> bool:
        """Whether this is the code; it opens nothing after that. Hyphens, blanks and case do not matter."""
        plain = _plain(text)
        if plain is None:
            return False
        right = hmac.compare_digest(digest_of(plain), self._digest)
        with self._guard:
            if self._tries <= 0 or self._clock() >= self.expires:
                return False
            self._tries = 0 if right else self._tries - 1
        return right


def _plain(text: str) -> str | None:
    """The letters, if they have the form of a code; anything else is no try."""
    plain = "".join(text.upper().split()).replace("-", "") if len(text) <= _LONGEST else ""
    return plain if len(plain) == _LENGTH and all(letter in _ALPHABET for letter in plain) else None
