"""Draws `docs/images/stale.svg`: a terminal in which a memory turns stale, from what the commands really print.

python scripts/picture.py            # writes the picture
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "stale.svg"
CODE = 'def send(file, bucket):\n    """Send a file, and try again when the connection breaks."""\n    bucket.put(file, retries=3)\n'
STEPS = (
    'waypost remember "Uploads are tried three times" --ref uploads.py#send',
    "sed -i 's/retries=3/retries=5, timeout=30/' uploads.py",
    'waypost ask "how often is an upload tried?" -k 1',
    'waypost correct {id} "Uploads are tried five times"',
    'waypost ask "how often is an upload tried?" -k 1',
)
_ID = re.compile(r"\b01[0-9a-z]{6,24}\b")
_WIDTH, _LINE, _CHARACTER, _TOP, _LEFT = 760, 19, 8.05, 58, 22
_TYPING, _READING, _REST = 1.1, 1.6, 4.0  # seconds: a command, its output, the whole
_COLOURS = {"command": "#9ecbff", "stale": "#ff7b72", "fresh": "#7ee787", "output": "#c9d1d9", "dim": "#8b949e"}


@dataclass(frozen=True)
class Line:
    text: str
    colour: str
    at: float  # seconds after the beginning


def played() -> list[Line]:
    """Run the steps in a temporary project, and note each line with the moment it appears."""
    lines: list[Line] = []
    moment, memory_id = 0.4, ""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        (project / "uploads.py").write_text(CODE, encoding="utf-8")
        environment = os.environ | {"WAYPOST_HOME": f"{folder}/data", "WAYPOST_BACKGROUND": "0", "NO_COLOR": "1"}
        for step in STEPS:
            command = step.format(id=memory_id)
            lines.append(Line(f"$ {_shortened(command)}", "command", moment))
            moment += _TYPING
            printed = _run(command, project, environment)
            memory_id = next(iter(_ID.findall(printed)), memory_id)
            lines += [Line(_shortened(line), _colour(line), moment) for line in printed.splitlines()]
            moment += _READING
    return lines


def _run(command: str, project: Path, environment: dict[str, str]) -> str:
    words = shlex.split(command)
    if words[0] == "sed":  # written out, because sed differs between systems
        _, old, new, _ = words[2].split("/")
        path = project / words[3]
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        return ""
    program = [sys.executable, "-m", "waypost", *words[1:]]
    done = subprocess.run(program, cwd=project, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def _shortened(text: str) -> str:
    return _ID.sub(lambda match: match[0][:10], text)


def _colour(line: str) -> str:
    if "STALE" in line:
        return "stale"
    if line.startswith(("Remembered", "Corrected")):
        return "fresh"
    return "dim" if " · " in line else "output"


def svg(lines: list[Line]) -> str:
    """The picture. Without animation, all lines are visible."""
    end = max(line.at for line in lines) + _READING + _REST
    height = _TOP + _LINE * len(lines) + 14
    styles, texts = [], []
    for number, line in enumerate(lines):
        begin = 100 * line.at / end
        styles.append(
            f"@keyframes l{number}{{0%,{begin:.2f}%{{opacity:0}}{begin + 0.01:.2f}%,99%{{opacity:1}}100%{{opacity:0}}}}"
        )
        weight = ' font-weight="bold"' if line.colour in ("command", "stale") else ""
        texts.append(
            f'<text x="{_LEFT}" y="{_TOP + _LINE * number}" fill="{_COLOURS[line.colour]}"{weight} xml:space="preserve"'
            f' style="animation:l{number} {end:.1f}s infinite">{escape(line.text)}</text>'
        )
    dots = "".join(
        f'<circle cx="{22 + 20 * n}" cy="20" r="6" fill="{fill}"/>'
        for n, fill in enumerate(("#ff5f56", "#ffbd2e", "#27c93f"))
    )
    motion = "@media (prefers-reduced-motion:reduce){text{animation:none!important}}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img"'
        ' aria-label="A memory about a function is stored, the function changes, and the memory is shown as stale until it is corrected.">'
        f"<style>text{{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}}{motion}{''.join(styles)}</style>"
        f'<rect width="{_WIDTH}" height="{height}" rx="10" fill="#0d1117"/>{dots}{"".join(texts)}</svg>\n'
    )


if __name__ == "__main__":
    PICTURE.write_text(svg(played()), encoding="utf-8")
    print(f"{PICTURE.name}: {PICTURE.stat().st_size} bytes")
