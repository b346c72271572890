"""A one-time sign-in code: short enough to type, valid for minutes."""

import hmac
import secrets
import threading
from datetime import timedelta

from waypost.faces.guard.tokens import digest_of
from waypost.model.time import Clock, utc_now

LIFE = timedelta(minutes=10)
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # without the similar 0 O 1 I L U
_LENGTH = 10  # 49 bits, safe against `_TRIES` guesses
_TRIES = 10  # wrong codes; then only the token works
_LONGEST = 64  # characters of input that can be a code


class SignInCode:
    """One code, stored as a hash. It works once, within its time, and not after too many wrong tries."""

    def __init__(self, clock: Clock = utc_now, *, life: timedelta = LIFE) -> None:
        plain = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
        self._digest = digest_of(plain)
        self._readable: str | None = f"{plain[:5]}-{plain[5:]}"
        self._clock, self._tries = clock, _TRIES
        self.expires = clock() + life
        self._guard = threading.Lock()

    def reveal(self) -> str:
        """The readable code. Can be called once; afterwards only the hash is left."""
        if self._readable is None:
            raise ValueError("a code is revealed once")
        code, self._readable = self._readable, None
        return code

    def opens(self, text: str) -> bool:
        """Whether this is the code, which is then used up. Hyphens, spaces and case do not matter."""
        letters = _letters(text)
        if letters is None:
            return False
        right = hmac.compare_digest(digest_of(letters), self._digest)
        with self._guard:
            if self._tries <= 0 or self._clock() >= self.expires:
                return False
            self._tries = 0 if right else self._tries - 1
        return right


def _letters(text: str) -> str | None:
    """The letters of a possible code, or None if it has another form, which does not count as a try."""
    letters = "".join(text.upper().split()).replace("-", "") if len(text) <= _LONGEST else ""
    return letters if len(letters) == _LENGTH and all(letter in _ALPHABET for letter in letters) else None
