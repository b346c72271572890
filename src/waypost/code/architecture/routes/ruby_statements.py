"""One statement of a Ruby routes file: `resources :posts, only: [:index] do`."""

from dataclasses import dataclass, field

from waypost.code.architecture.tokens import OTHER, STRING, SYMBOL, Span, TokenList

_MAX_STATEMENT = 200  # tokens of one statement


@dataclass(slots=True)
class RubyStatement:
    """A call with its arguments."""

    name: str
    at: int
    unnamed: list[Span] = field(default_factory=list)
    named: dict[str, Span] = field(default_factory=dict)
    block: int = -1  # index of its `do`


def statement_at(tokens: TokenList, at: int) -> RubyStatement:
    """Read to the end of the statement: a line without a trailing comma, or a `do`."""
    statement = RubyStatement(tokens.texts[at], at)
    if tokens.is_other(at + 1, "{") and tokens.lines[at + 1] == tokens.lines[at]:  # collection { post :batch }
        statement.block = at + 1
        return statement
    if tokens.is_other(at + 1, "(") and tokens.lines[at + 1] == tokens.lines[at] and tokens.partner[at + 1] > 0:
        spans = tokens.arguments(at + 1)
        end = tokens.partner[at + 1] + 1
        last = min(len(tokens), end + _MAX_STATEMENT)
        while end < last and tokens.lines[end] == tokens.lines[end - 1] and not tokens.is_name(end, "do"):
            end += 1
    else:
        spans, end = _bare_arguments(tokens, at + 1)
    if tokens.is_name(end, "do") and tokens.lines[end] == tokens.lines[end - 1]:
        statement.block = end
    for span in spans:
        if span[0] >= span[1]:
            continue
        name, value = tokens.split_keyword(span)
        if name and not (tokens.is_other(span[0] + 1, "=>") and tokens.kinds[span[0]] == STRING):
            statement.named[name] = value
        else:
            statement.unnamed.append(span)
    return statement


def _bare_arguments(tokens: TokenList, start: int) -> tuple[list[Span], int]:
    """Arguments without brackets, and where they end."""
    spans = []
    end = start
    last = min(len(tokens), start + _MAX_STATEMENT)
    while end < last:
        new_line = tokens.lines[end] > tokens.lines[end - 1]
        if (new_line and not tokens.is_other(end - 1, ",")) or tokens.is_name(end, "do") or tokens.is_name(end, "if"):
            break
        if tokens.kinds[end] == OTHER:
            if tokens.texts[end] in "([{" and tokens.partner[end] > end:
                end = tokens.partner[end]
            elif tokens.texts[end] in ")]}":
                break
            elif tokens.texts[end] == ",":
                spans.append((start, end))
                start = end + 1
        end += 1
    spans.append((start, min(end, len(tokens))))
    return spans, min(end, len(tokens) - 1)


def words_in(tokens: TokenList, span: Span | None) -> tuple[str, ...]:
    words: list[str] = []
    for at in range(*span) if span else ():
        if tokens.kinds[at] in (STRING, SYMBOL):
            words.append(tokens.texts[at])
        elif tokens.kinds[at] == "w":
            words.extend(tokens.texts[at].split())
    return tuple(words)


def first_word(tokens: TokenList, span: Span | None) -> str | None:
    words = words_in(tokens, span)
    return words[0] if words else None
