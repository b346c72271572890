"""SentencePiece's unigram tokenizer in pure Python, with a table that loads fast.

`compile_table` turns a `.model` file (a protobuf) into arrays once, at installation. The vocabulary is in buckets by
the first two characters. A text loads only the buckets it needs, so that a question does not wait for 128,000 pieces.

As in SentencePiece, normalisation uses the precompiled trie (`nmt_nfkc`), and the pieces are those of the best path.
Special pieces (<s>, </s>, <unk> …) never match in a text.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from waypost.errors import ModelCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNKNOWN, BEGIN, END = 0, 1, 2
_SPACE = "▁"  # in front of every word
_BUCKETS = 4096
_PREFIX = -1  # the id of an entry that only begins a piece, so that the search continues
_LONGEST_CACHED = 48  # characters
_CACHE_LIMIT = 50_000
_UNKNOWN_PENALTY = 10.0  # below the worst piece, as in SentencePiece
_ASCII_SPACES = str.maketrans("\t\n\f\r", "    ")  # the only changes of the trie in ASCII
_REMEDY = "Run `waypost model install`."


def compile_table(model: bytes) -> dict[str, NDArray[Any]]:
    """The arrays for `SentencePiece` from the bytes of a `.model` file."""
    import numpy as np

    pieces, scores, charsmap = _read_model(model)
    entries: dict[str, int] = {}
    for number, (piece, kind) in enumerate(pieces):
        if kind == 1:
            entries.update({piece[:end]: _PREFIX for end in range(1, len(piece)) if piece[:end] not in entries})
            entries[piece] = number
    buckets: list[list[str]] = [[] for _ in range(_BUCKETS)]
    for entry in entries:
        buckets[_bucket(entry[:2])].append(entry)
    texts = ["\n".join(bucket).encode() for bucket in buckets]
    trie_bytes = int.from_bytes(charsmap[:4], "little")
    return {
        "pieces.text": np.frombuffer(b"".join(texts), np.uint8),
        "pieces.text_ends": np.cumsum([len(text) for text in texts]).astype(np.uint32),
        "pieces.ids": np.array([entries[entry] for bucket in buckets for entry in bucket], np.int32),
        "pieces.id_ends": np.cumsum([len(bucket) for bucket in buckets]).astype(np.uint32),
        "pieces.scores": np.array(scores, np.float32),
        "trie": np.frombuffer(charsmap[4 : 4 + trie_bytes], np.uint32),
        "replacements": np.frombuffer(charsmap[4 + trie_bytes :], np.uint8),
    }


def _bucket(head: str) -> int:
    return zlib.crc32(head.encode("utf-8", "surrogatepass")) % _BUCKETS


def _read_model(model: bytes) -> tuple[list[tuple[str, int]], list[float], bytes]:
    """Pieces with their kind (1 is an ordinary piece), their scores, and the precompiled normalisation."""
    import struct

    pieces: list[tuple[str, int]] = []
    scores: list[float] = []
    charsmap = b""
    try:
        for field, content in _fields(model):
            if field == 1:
                parts = dict(_fields(content))
                pieces.append((parts[1].decode(), parts[3][0] if 3 in parts else 1))
                scores.append(struct.unpack("<f", parts[2])[0] if 2 in parts else 0.0)
            elif field == 3:
                charsmap = dict(_fields(content))[2]
    except (KeyError, IndexError, ValueError, struct.error) as error:
        raise ModelCorrupt("The SentencePiece model cannot be read.", _REMEDY) from error
    return pieces, scores, charsmap


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protobuf message: number and content (for a varint, its bytes)."""
    position = 0
    while position < len(message):
        tag, position = _varint(message, position)
        wire = tag & 7
        if wire == 0:
            begin = position
            _, position = _varint(message, position)
        else:
            length = {1: 8, 5: 4}.get(wire)
            if length is None:
                length, position = _varint(message, position)
            begin, position = position, position + length
        yield tag >> 3, message[begin:position]


def _varint(message: bytes, position: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7


class SentencePiece:
    def __init__(self, table: Mapping[str, NDArray[Any]]) -> None:
        self._text = table["pieces.text"].data.cast("B")
        self._text_ends = table["pieces.text_ends"].data
        self._ids = table["pieces.ids"]
        self._id_ends = table["pieces.id_ends"].data
        self._scores = table["pieces.scores"].data
        self._unknown_score = float(table["pieces.scores"].min()) - _UNKNOWN_PENALTY
        self._trie = table["trie"].data
        self._replacements = table["replacements"].tobytes()
        self._entries: dict[str, int] = {}
        self._heads: set[str] = set()
        self._loaded: set[int] = set()
        self._cache: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str, max_tokens: int) -> list[int]:
        """The ids of a text between BEGIN and END, at most `max_tokens` with these two."""
        ids = [BEGIN]
        for chunk in text.split(" "):  # no key of the normalisation contains a blank
            if chunk:
                ids.extend(self._chunk(chunk))
                if len(ids) >= max_tokens:
                    break
        if len(ids) == 1:
            ids.append(UNKNOWN)
        del ids[max_tokens - 1 :]
        ids.append(END)
        return ids

    def _chunk(self, chunk: str) -> tuple[int, ...]:
        pieces = self._cache.get(chunk)
        if pieces is None:
            words = self.normalise(chunk).split(" ")
            pieces = tuple(piece for word in words if word for piece in self._best_path(_SPACE + word))
            if len(chunk) <= _LONGEST_CACHED:
                if len(self._cache) >= _CACHE_LIMIT:
                    self._cache.clear()
                self._cache[chunk] = pieces
        return pieces

    def normalise(self, text: str) -> str:
        """The text with compatibility forms replaced by plain ones and white space by blanks."""
        if text.isascii():
            return text.translate(_ASCII_SPACES)
        raw = text.encode("utf-8", "replace")
        out = bytearray()
        position = 0
        while position < len(raw):
            length, value = self._longest_key(raw, position)
            if length:
                out += self._replacements[value : self._replacements.index(0, value)]
            else:
                length = _character_length(raw[position])
                out += raw[position : position + length]
            position += length
        return out.decode("utf-8", "replace")

    def _longest_key(self, raw: bytes, position: int) -> tuple[int, int]:
        """Length and value of the longest key at this position, or (0, 0).

        The trie is a double array. A unit has the byte that leads to it, whether a key ends there, and the distance
        to its children.
        """
        trie = self._trie
        best = (0, 0)
        node = _children(0, trie[0])
        for index in range(position, len(raw)):
            node ^= raw[index]
            unit = trie[node]
            if unit & 0x800000FF != raw[index]:
                break
            node = _children(node, unit)
            if unit & 0x100:
                best = (index + 1 - position, trie[node] & 0x7FFFFFFF)
        return best

    def _best_path(self, word: str) -> list[int]:
        """The pieces with the greatest sum of scores (Viterbi). If equal, the path with the longest last piece wins."""
        self._load_heads(word)
        entries, scores, length = self._entries, self._scores, len(word)
        best = [0.0] + [float("-inf")] * length
        came_from = [0] * (length + 1)
        piece_at = [UNKNOWN] * (length + 1)
        for start in range(length):
            if entries.get(word[start], _PREFIX) == _PREFIX:
                score = best[start] + self._unknown_score
                if score > best[start + 1]:
                    best[start + 1], came_from[start + 1], piece_at[start + 1] = score, start, UNKNOWN
            for end in range(start + 1, length + 1):
                piece = entries.get(word[start:end])
                if piece is None:
                    break
                if piece != _PREFIX:
                    score = best[start] + scores[piece]
                    if score > best[end]:
                        best[end], came_from[end], piece_at[end] = score, start, piece
        path = []
        end = length
        while end > 0:
            path.append(piece_at[end])
            end = came_from[end]
        return path[::-1]

    def _load_heads(self, word: str) -> None:
        heads = {word[start : start + 2] for start in range(len(word))}
        heads.update(word)
        for head in heads - self._heads:
            number = _bucket(head)
            if number not in self._loaded:
                self._load_bucket(number)
                self._loaded.add(number)
            self._heads.add(head)  # last: another thread must not skip a bucket that is still loading

    def _load_bucket(self, number: int) -> None:
        begin = self._text_ends[number - 1] if number else 0
        first = self._id_ends[number - 1] if number else 0
        if begin != self._text_ends[number]:
            entries = bytes(self._text[begin : self._text_ends[number]]).decode().split("\n")
            ids = self._ids[first : self._id_ends[number]].tolist()
            self._entries.update(zip(entries, ids, strict=True))


def _children(node: int, unit: int) -> int:
    offset: int = (unit >> 10) << ((unit & 0x200) >> 6)
    return node ^ offset


def _character_length(first: int) -> int:
    if first < 0xC0:
        return 1
    return 2 if first < 0xE0 else 3 if first < 0xF0 else 4
