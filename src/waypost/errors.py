"""Every error that Waypost raises on purpose.

    WaypostError
    ├── InvalidInput            what the caller gave cannot be used (exit code 2)
    │   └── ConfigError         a setting is missing or malformed
    ├── NotFound                nothing has this id or answers this question (exit code 3)
    ├── SecurityError           a path, id or file tried to leave its place
    │   └── UnknownCheckout     a folder names a memory that it was not seen to belong to
    ├── Refused                 a rule of the memory forbids this write
    │   └── PersonOnly          only a person may do this to what a person said or ended
    ├── StoreError
    │   ├── StoreBusy           another process held the write lock for too long
    │   ├── StoreUnavailable    the database server cannot be reached for now
    │   ├── StoreFull           no room on the disk
    │   ├── StoreReadOnly       the directory or file cannot be written
    │   ├── StoreCorrupt        the database is damaged
    │   ├── ForeignFile         the file at our path is not ours
    │   ├── SchemaTooNew        written by a later version of Waypost
    │   └── DatabaseTooOld      the SQLite library has known data-losing bugs
    ├── EngineError
    │   ├── EngineUnavailable   cannot embed right now: weights missing, server away
    │   └── ModelCorrupt        weights are not what they claim to be
    └── LlmError
        ├── LlmUnavailable      the language model cannot be asked now: server away, wrong key, unknown model
        ├── LlmRefused          it was asked and would not answer
        ├── LlmUnusable         it answered, but not in the form asked for
        └── LlmLimit            asking would pass what this run may spend

The class names the fact, `what` says which, `remedy` says what to do next.
"""


class WaypostError(Exception):
    """The root: catch this to catch everything that Waypost raises on purpose."""

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
    """`undone`: nothing of what was under way was stored, so that it may be repeated; else nobody can tell."""

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
