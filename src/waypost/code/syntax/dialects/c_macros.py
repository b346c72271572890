"""C and C++ before the preprocessor: macros that the grammar cannot understand, hidden behind blanks.

Used for files that do not parse as they are. A macro is known by its capital letters and by where it stands.
"""

import re

_MACRO = rb"[A-Z][A-Z0-9_]{2,60}"
_ARGUMENTS = rb"(?:\([^()\n]{0,200}\))?"
_WORD = rb"[A-Za-z_][\w:]{0,100}"

# #ifdef __cplusplus, extern "C" {, #endif
_CPLUSPLUS = re.compile(
    rb"^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ (]+)__cplusplus\b[^\n]*\n"
    rb"(?:[^#\n][^\n]*\n|\n){0,4}[ \t]*#[ \t]*endif",
    re.MULTILINE,
)
_MODIFIERS = rb"^[ \t]*(?:(?:static|inline|extern|virtual|explicit|const)[ \t]+){0,4}+"
# In this order: what stands in one place may hide what stands in another.
_PLACES = (
    # static void CALLBACK done(…)
    _MODIFIERS + _WORD + rb"[ \t*]+(" + _MACRO + rb")(?=[ \t]+" + _WORD + rb"\()",
    # UV_EXTERN int uv_run(…), THREAD_LOCAL int depth = 0
    _MODIFIERS + rb"(" + _MACRO + _ARGUMENTS + rb")"
    rb"(?=[ \t]+(?:const[ \t]+)?" + _WORD + rb"(?:<[^<>\n]{0,100}>)?[ \t*&]+" + _WORD + rb"[ \t]*[(=;\[])",
    # void reset() REQUIRES(lock) {
    rb"\)[ \t]*+(?:(?:const|noexcept|override|final)[ \t]*+){0,3}+\s?[ \t]*+("
    + _MACRO
    + rb"_?"
    + _ARGUMENTS
    + rb")(?=\s{0,20}[{;])",
    # class API Foo
    rb"\b(?:class|struct|namespace|union|enum)[ \t]+(" + _MACRO + _ARGUMENTS + rb")(?=[ \t]+[A-Za-z_])",
    # a line of its own: Q_OBJECT, BEGIN_NAMESPACE
    rb"^[ \t]*(" + _MACRO + rb"(?:\([^()\n]{0,300}\))?)[ \t]*\r?\n(?![ \t]*[{(])",
    # typedef void (NTAPI *callback)(…)
    rb"\((" + _MACRO + rb")(?=[ \t]*\*[ \t]*\w{1,100}\)\s{0,40}\()",
    # container_of(node, struct row, link)
    rb",[ \t]*(struct|union|enum)(?=[ \t]+\w{1,100}[ \t]*[,)])",
)
_HIDDEN = tuple(re.compile(place, re.MULTILINE) for place in _PLACES)


def without_macros(data: bytes) -> bytes:
    """Text of the same length and the same lines."""
    masked = bytearray(data)
    for match in _CPLUSPLUS.finditer(data):
        _blank(masked, *match.span())
    for pattern in _HIDDEN:
        for match in pattern.finditer(bytes(masked)):
            _blank(masked, *match.span(1))
    return bytes(masked)


def _blank(data: bytearray, start: int, end: int) -> None:
    data[start:end] = re.sub(rb"[^\n]", b" ", data[start:end])
