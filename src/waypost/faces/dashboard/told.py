"""What a page says after something was done. Addresses name a sentence, they never bring one."""

TOLD = {
    "verified": "Verified: it is true of the code as it is now.",
    "verified_some": "Some could not be verified: their code is gone, or could be in several places. They are still listed.",
    "relinked_some": "Some could not be followed: their code has changed or is gone. They are still listed.",
    "reset": "Reset: they are about the code as it is now. The history keeps where they pointed.",
    "reset_some": "Some are still stale: their code could be in several places. Say where.",
    "relinked": "It points at where its code is now.",
    "corrected": "Corrected. The history keeps what was said before.",
    "retracted": "Taken back. It is not told any more; its history stays.",
    "rejected": "Rejected. This value is not stored again, unless you allow it.",
    "lifted": "Allowed again.",
    "forgotten": "Forgotten, with every trace that Waypost can reach.",
    "protected": "Protected: it is kept word for word.",
    "released": "Not protected any more.",
    "approved": "Approved. It is a memory now, on your word.",
    "declined": "Rejected. It is not proposed again.",
    "edited": "The words were changed. It still waits for your approval.",
    "remembered": "Remembered.",
    "restored": "Restored: the original stands in its place again.",
    "nothing": "Nothing was chosen, so nothing was done.",
}
