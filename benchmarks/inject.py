"""What does the preset `inject` tell to a message, of what is stored? In three languages, through the library.

    python benchmarks/inject.py [--show]

`inject_pairs.toml` has stored sentences, each with a message to which it matters, and messages to which none does. Told is
right if it is the sentence of the message. Those at even places were used to choose what words are worth; those at odd
places were not.
"""

import argparse
import os
import tempfile
import tomllib
from pathlib import Path

_PAIRS = Path(__file__).with_name("inject_pairs.toml")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print what was missed, and what was told wrongly")
    show = parser.parse_args().show
    told = tomllib.loads(_PAIRS.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"WAYPOST_HOME": str(Path(folder) / "home"), "WAYPOST_BACKGROUND": "0"}
        for language in ("en", "de", "ru"):
            project = Path(folder) / language
            project.mkdir()
            _measure(project, language, [one[language] for one in told["pair"]], told["other"][language], show)


def _measure(project: Path, language: str, pairs: list[tuple[str, str]], others: list[str], show: bool) -> None:
    from waypost import Memory

    memory = Memory.open(project)
    ids = [memory.remember(stored).id for stored, _ in pairs]
    memory.admin.embed_pending()
    right, wrong = {0: 0, 1: 0}, 0
    for place, (stored, message) in enumerate(pairs):
        given = [hit.id for hit in memory.brief(message, preset="inject").memories]
        right[place % 2] += ids[place] in given
        wrong += sum(one != ids[place] for one in given)
        if show and ids[place] not in given:
            print(f"  missed: {stored!r} for {message!r}")
    for message in others:
        given = [hit.text for hit in memory.brief(message, preset="inject").memories]
        wrong += len(given)
        if show and given:
            print(f"  wrong: {given} for {message!r}")
    found = sum(right.values())
    print(
        f"{language}: recall {found}/{len(pairs)} (calibrated {right[0]}/{(len(pairs) + 1) // 2}, "
        f"others {right[1]}/{len(pairs) // 2}), precision {found}/{found + wrong}"
    )


if __name__ == "__main__":
    main()
