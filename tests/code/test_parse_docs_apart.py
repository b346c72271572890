"""Documentation one line apart from its definition."""

from waypost.code.parse import parse
from waypost.code.source import SourceFile

TEXT = """\
/**
 * The file.
 */

var a = require('a');

/**
 * Send a response.
 */

res.send = function send(body) {
  return body;
};

// a remark

function other() {
  return 1;
}
"""


def test_a_marked_comment_belongs_to_what_follows_after_an_empty_line() -> None:
    docs = {symbol.name: symbol.doc for symbol in parse(SourceFile("lib/response.js", "javascript", TEXT)).symbols}
    assert docs["send"] == "Send a response."
    assert docs["other"] == ""


def test_a_comment_that_opens_the_file_is_not_taken_for_the_first_definition() -> None:
    text = "/**\n * The file.\n */\n\nfunction first() {\n  return 1;\n}\n"
    (symbol,) = parse(SourceFile("a.js", "javascript", text)).symbols
    assert symbol.doc == ""
