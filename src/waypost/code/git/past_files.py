"""Files as they were at earlier commits, read from git in two calls."""

import re
from pathlib import Path

from waypost.code.files.skip import size_limit
from waypost.code.git.command import open_checkout

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_BATCH_LINE = re.compile(rb"([0-9a-f]{40,64}) (blob|commit) (\d{1,12})")
_MOST_FILES = 500  # each is parsed
_MOST_BYTES = 64_000_000  # of all files

FileAtCommit = tuple[str, str]  # a commit and a path


def past_files(root: Path, wanted: list[FileAtCommit]) -> tuple[dict[str, str], dict[FileAtCommit, bytes]]:
    """Full ids of these commits, and these files at that time, as far as the repository has them."""
    checkout = open_checkout(root)
    sound = [(commit, path) for commit, path in wanted if _COMMIT.fullmatch(commit) and "\n" not in path]
    if checkout is None or not sound:
        return {}, {}
    commits = sorted({commit for commit, _ in sound})
    names = [f"{commit}^{{commit}}" for commit in commits]
    names += [f"{commit}:{checkout.prefix}{path}" for commit, path in sound]
    answer = checkout.ask("cat-file", "--batch-check", given="".join(f"{name}\n" for name in names).encode()) or b""
    matches = [_BATCH_LINE.fullmatch(line) for line in answer.split(b"\n")[: len(names)]]
    matches += [None] * (len(names) - len(matches))
    whole = {commit: match[1].decode() for commit, match in zip(commits, matches, strict=False) if match}
    chosen: dict[FileAtCommit, bytes] = {}
    size = 0
    for when, match in zip(sound, matches[len(commits) :], strict=True):
        if match is None or match[2] != b"blob" or int(match[3]) > size_limit(when[1]):
            continue
        size += int(match[3])
        if len(chosen) < _MOST_FILES and size <= _MOST_BYTES:
            chosen[when] = match[1]
    blobs = list(dict.fromkeys(chosen.values()))
    request = b"".join(blob + b"\n" for blob in blobs)
    contents = _contents(checkout.ask("cat-file", "--batch", given=request) or b"") if blobs else {}
    return whole, {when: contents[blob] for when, blob in chosen.items() if blob in contents}


def _contents(answer: bytes) -> dict[bytes, bytes]:
    contents: dict[bytes, bytes] = {}
    place = 0
    while (end := answer.find(b"\n", place)) >= 0:
        header = _BATCH_LINE.fullmatch(answer[place:end])
        if header is None:
            place = end + 1
            continue
        start = end + 1
        place = start + int(header[3]) + 1
        contents[header[1]] = answer[start : place - 1]
    return contents
