"""Answers as JSON that can always be written, whatever the stored words and file names hold."""

import json
from typing import Any

from starlette.responses import JSONResponse


class JsonAnswer(JSONResponse):
    """JSON in UTF-8. A byte of a file name that is no text is written as the escape that it was read as."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")  # a lone surrogate becomes \udc80, which is JSON
