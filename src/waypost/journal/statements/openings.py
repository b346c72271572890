"""What people say around a sentence that no page needs: "by the way", "remember that", "Merke dir:"."""

import re

_OPENING = re.compile(
    r"^\W{0,3}(?i:(?:oh|ah|ach|hey|hi|und|and|а|и)\W{1,3})?(?i:"
    r"(?:by the way|btw|fyi|just so you know|for the record|also|note to self|okay|ok|well|anyway)(?=[,:–-])[\s,:–-]+|"
    r"(?:please )?(?:remember|note|keep in mind|don't forget|mind you)(?: this)?(?::| that)\s+|"
    r"(?:übrigens|nebenbei(?: bemerkt)?|apropos|zur info|nur zur info|ach ja|na ja|naja|tja)(?=[,:–-])[\s,:–-]+|"
    r"(?:bitte )?(?:merk(?:e)? dir(?: bitte)?|notier(?:e)?(?: dir)?|vergiss nicht|denk daran|wichtig)\s*:\s*|"
    r"(?:кстати|к слову|между прочим|да, кстати|ладно)(?=[\s,:–-])[\s,:–-]+|"
    r"(?:пожалуйста, )?(?:запомни(?:те)?|запиши(?:те)?|учти(?:те)?|имей(?:те)? в виду|не забудь(?:те)?|помни(?:те)?)(?::|, что)\s+"
    r")"
)
# "No idea, I like tea" only hesitates, "No idea, how I'll manage" says what somebody does not know.
_HESITATION = re.compile(
    r"^\W{0,3}(?i:(?:(?:oh|ah|ach|hey|und|and|а|и)\W{1,3})?(?:no idea|keine ahnung|не знаю)\s?[,:–-]\s?"
    r"(?=(?:i|i'm|i’m|i've|i’ve|ich|я)\b))"
    r"(?![^.!?…]{0,200}(?:\?|(?i:\b(?:whether|if|or|ob|oder|ли|или|может|might|maybe|vielleicht)\b)))"
)
_CLOSING = re.compile(r"(?i:,? (?:by the way|btw|just so you know|übrigens|кстати))(?=[.!…]*$)")


def without_opening(text: str) -> str:
    """The text without such words at its start and end. One that is nothing else stays."""
    rest = _HESITATION.sub("", _OPENING.sub("", text, count=1), count=1)
    rest = _CLOSING.sub("", rest, count=1)
    if rest == text or not any(map(str.isalnum, rest)):
        return text
    return rest[:1].upper() + rest[1:]
