"""JSON responses that can always be encoded, whatever stored text and file names contain."""

import json
from typing import Any

from starlette.responses import JSONResponse


class JsonAnswer(JSONResponse):
    """JSON in UTF-8. Undecodable bytes of file names are written as the escapes they were read as."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")  # a lone surrogate becomes \udc80, which is valid JSON
