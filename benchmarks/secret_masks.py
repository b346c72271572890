"""What does masking hit in texts that hold no secrets, and how fast is it?

    python benchmarks/secret_masks.py DIRECTORY... [--show 20] [--out masks.tsv]

Reads every text file below the directories, masks it, and prints lines, bytes, speed, and for each rule the number of
masks with examples (file, line, the line itself), so that a person can judge which are false. With `--out` every mask
is written to a file, one per line: rule, place, value, line.
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from waypost.text.secrets.masking import is_secret_path, mask

_LARGEST = 2_000_000
_SKIP = {".git", "__pycache__", "node_modules"}


def texts(roots: list[Path]) -> Iterator[tuple[Path, str]]:
    """Every readable text below the roots, links and very large files left out."""
    for root in roots:
        for path in sorted(root.rglob("*")):
            if _SKIP & set(path.parts) or path.is_symlink() or not path.is_file():
                continue
            if path.stat().st_size > _LARGEST:
                continue
            raw = path.read_bytes()
            if b"\0" in raw[:8192]:
                continue
            try:
                yield path, raw.decode("utf-8")
            except UnicodeDecodeError:
                continue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--show", type=int, default=10, help="examples per rule")
    parser.add_argument("--out", type=Path, help="write every mask here")
    options = parser.parse_args()
    files = lines = size = secret_files = 0
    spent = 0.0
    masks: dict[str, list[tuple[Path, int, str, str]]] = defaultdict(list)
    seen: Counter[tuple[str, str]] = Counter()
    for path, text in texts(options.roots):
        files += 1
        lines += text.count("\n")
        size += len(text)
        secret_files += is_secret_path(str(path))
        began = time.process_time()
        result = mask(text)
        spent += time.process_time() - began
        for found in result.found:
            start = text.rfind("\n", 0, found.start) + 1
            end = text.find("\n", found.start)
            line = text[start : end if end >= 0 else len(text)]
            value = text[found.start : found.end].split("\n", 1)[0]
            seen[(found.rule, value)] += 1
            masks[found.rule].append((path, found.line, value, line))
    total = sum(map(len, masks.values()))
    print(
        f"{files} files ({secret_files} secret by path), {lines} lines, {size / 1e6:.1f} MB, {size / 1e6 / spent:.1f} MB/s"
    )
    print(f"{total} masks ({len(seen)} different), {total / max(lines, 1) * 10_000:.2f} per 10,000 lines")
    for rule, rows in sorted(masks.items(), key=lambda item: -len(item[1])):
        print(f"\n{rule}: {len(rows)}")
        for path, number, value, line in rows[: options.show]:
            print(f"  {path}:{number}: {value[:80]!r} in {line.strip()[:140]!r}")
    if options.out:
        with options.out.open("w", encoding="utf-8") as out:
            for rule, rows in masks.items():
                for path, number, value, line in rows:
                    out.write(f"{rule}\t{path}:{number}\t{value[:100]!r}\t{line.strip()[:200]!r}\n")


if __name__ == "__main__":
    main()
