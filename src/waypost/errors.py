"""Every error that Waypost raises on purpose.

    WaypostError
    ├── InvalidInput            the caller's input cannot be used (exit code 2)
    │   └── ConfigError         a setting is missing or malformed
    ├── NotFound                nothing has this id or answers this question (exit code 3)
    ├── SecurityError           a path, id or file leads outside its directory
    │   └── UnknownCheckout     a folder claims a memory that it is not known to belong to
    ├── Refused                 a rule of the memory forbids this write
    │   └── PersonOnly          only a person may change what a person wrote or ended
    ├── StoreError
    │   ├── StoreBusy           another process held the write lock for too long
    │   ├── StoreUnavailable    the database server cannot be reached right now
    │   ├── StoreFull           the disk is full
    │   ├── StoreReadOnly       the directory or file cannot be written
    │   ├── StoreCorrupt        the database is damaged
    │   ├── ForeignFile         the file at Waypost's path was not written by Waypost
    │   ├── SchemaTooNew        written by a later version of Waypost
    │   └── DatabaseTooOld      the SQLite library has known data-losing bugs
    ├── EngineError
    │   ├── EngineUnavailable   cannot embed right now: no weights, or no server
    │   └── ModelCorrupt        weights are damaged or not the expected ones
    └── LlmError
        ├── LlmUnavailable      the language model cannot be used now: no server, wrong key, unknown model
        ├── LlmRefused          it refused to answer
        ├── LlmUnusable         its answer does not have the requested form
        └── LlmLimit            the question would exceed the run's spending limit

The class names the problem, `what` gives the details, and `remedy` says what to do next.
"""


class WaypostError(Exception):
    """Catch this to catch everything that Waypost raises on purpose."""

    exit_code = 1

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}\n{self.remedy}" if self.remedy else self.what


class InvalidInput(WaypostError):
    exit_code = 2


class ConfigError(InvalidInput):
    pass


class NotFound(WaypostError):
    exit_code = 3


class SecurityError(WaypostError):
    pass


class UnknownCheckout(SecurityError):
    pass


class Refused(WaypostError):
    pass


class PersonOnly(Refused):
    pass


class StoreError(WaypostError):
    pass


class StoreBusy(StoreError):
    pass


class StoreUnavailable(StoreError):
    """`undone`: nothing was stored, so that the write can be repeated. If False, the outcome is unknown."""

    def __init__(self, what: str, remedy: str = "", *, undone: bool = True) -> None:
        super().__init__(what, remedy)
        self.undone = undone


class StoreFull(StoreError):
    pass


class StoreReadOnly(StoreError):
    pass


class StoreCorrupt(StoreError):
    pass


class ForeignFile(StoreError):
    pass


class SchemaTooNew(StoreError):
    pass


class DatabaseTooOld(StoreError):
    pass


class EngineError(WaypostError):
    pass


class EngineUnavailable(EngineError):
    pass


class ModelCorrupt(EngineError):
    pass


class LlmError(WaypostError):
    pass


class LlmUnavailable(LlmError):
    pass


class LlmRefused(LlmError):
    pass


class LlmUnusable(LlmError):
    pass


class LlmLimit(LlmError):
    pass
