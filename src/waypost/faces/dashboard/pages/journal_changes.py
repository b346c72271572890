"""What can be done in the journal: note something, protect an entry, bring originals back and let them go again."""

from waypost.errors import InvalidInput
from waypost.faces.dashboard.pages.journal_summary import PERIOD
from waypost.faces.dashboard.request_context import Go, PageRequest


def note(asked: PageRequest) -> Go:
    asked.need_person()
    text = asked.sent("text")
    if not text:
        raise InvalidInput("The note is empty.", "Write something.")
    journal = asked.memory.journal
    receipt = journal.add(text, speaker=asked.identity.name, time=asked.sent("time", 100) or None)
    if receipt.status == "refused":
        raise InvalidInput(f"Not saved: {receipt.reason}.", "Allow the value again first.")
    return asked.go("journal", told="noted")


def protect(asked: PageRequest) -> Go:
    asked.need_person()
    on = asked.sent("on") == "1"
    asked.memory.journal.protect(_id(asked), on=on)
    return _back(asked, "protected" if on else "released")


def restore(asked: PageRequest) -> Go:
    """Restore the originals. They stay until they are released."""
    asked.need_person()
    asked.memory.journal.restore(_what(asked))
    return _back(asked, "restored")


def release(asked: PageRequest) -> Go:
    asked.need_person()
    asked.memory.journal.release(_what(asked))
    return _back(asked, "let_go")


def _id(asked: PageRequest) -> str:
    memory_id = asked.sent("id", 200)
    if not memory_id:
        raise InvalidInput("No entry selected.", "Choose one.")
    return memory_id


def _what(asked: PageRequest) -> str:
    """A period, or the id of an entry."""
    what = asked.sent("what", 200)
    if not what:
        raise InvalidInput("Nothing selected.", "Choose a day, week, month or year.")
    return what


def _back(asked: PageRequest, message: str) -> Go:
    back = asked.sent("back", 40)
    return asked.go("journal", *([back] if PERIOD.fullmatch(back) else []), told=message)
