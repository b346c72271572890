"""What a page says after something was done. Addresses name a sentence, they never bring one."""

TOLD = {
    "verified": "Verified: it is true of the code as it is now.",
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
