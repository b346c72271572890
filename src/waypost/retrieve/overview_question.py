"""Questions about everything that is remembered: "What do you remember about this project?"."""

import re

_LONGEST = 120  # characters
_FORMS = (
    r"(?:what|tell me what|show me what|list what) (?:do )?(?:you|we) (?:already )?(?:know|remember|have (?:stored|remembered))"
    r"(?: (?:about|of|from) (?:this|the|our|my) (?:project|repo|repository|code ?base|code))?(?: so far| already)?",
    r"tell me (?:everything|all)(?: that)? you (?:know|remember)(?: about (?:this|the|our|my) (?:project|repo|repository|code ?base))?",
    r"(?:was|sag mir,? was) (?:wei(?:ß|ss)t|erinnerst|hast) du(?: dir)?(?: bisher| schon| alles)?"
    r"(?: (?:über|von|zu) (?:dieses|diesem|das|dem|unser|unserem|mein|meinem) (?:projekt|repo|repository|code))?(?: gemerkt| gespeichert)?",
    r"woran erinnerst du dich(?: (?:bei|in|zu) (?:diesem|dem|unserem) projekt)?",
    r"(?:расскажи,? )?что (?:ты |вы )?(?:уже )?(?:знаешь|знаете|помнишь|помните)"
    r"(?: (?:об?|про) (?:этом|этот|нашем|наш|моём|моем|мой) (?:проекте|проект|репозитории|репозиторий|коде|код))?",
)
_ASKS = re.compile("|".join(_FORMS), re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def asks_for_everything(text: str) -> bool:
    """Whether the question asks for no subject but the memory itself. A form must match the whole question."""
    question = _SPACE.sub(" ", text[: _LONGEST + 1]).strip().rstrip(" ?.!")
    return len(text) <= _LONGEST and _ASKS.fullmatch(question) is not None
