"""Parts that classes play and design patterns, from parsed symbols. Names count only with matching structure."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.frameworks import table
from waypost.code.source import Parsed, SourceFile, Symbol

_TYPES = frozenset(("class", "interface", "struct", "trait"))
_STORING = frozenset(
    {"find", "get", "save", "delete", "remove", "add", "all", "list", "create", "update", "insert", "fetch"}
    | {"store", "exists", "count", "by"}
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SUBSCRIBE = frozenset(
    ["subscribe", "attach", "addlistener", "addobserver", "add_listener", "add_observer", "register_observer", "on"]
)
_NOTIFY = frozenset(
    ["notify", "emit", "publish", "dispatch", "fire", "trigger", "notify_all", "notifyobservers", "notify_observers"]
)
_INJECTED = frozenset(("Injectable", "Service", "Component", "Autowired", "Inject", "Singleton", "ApplicationScoped"))
_CONSOLE_FOLDERS = ("Console/", "management/commands/", "/commands/", "src/Command/", "cmd/", "cli/")
_KEPT = re.compile(
    r"(?:cls|self::|static::)\W{0,3}\$?_{0,2}(?:instance|shared)\b|^[ \t]++_{1,2}(?:instance|shared)\b[^\n]{0,30}="
    r"|static[^\n(]{0,60}\b_?\$?_{0,2}(?:instance|shared)\b\s*[=;{]|@@?instance\s*\|\|=",
    re.MULTILINE,
)
_MAX_METHODS = 60


@cache
def _parts() -> tuple[tuple[str, tuple[str, ...], frozenset[str], frozenset[str], bool], ...]:
    parts = []
    for name, entry in table("parts.toml").items():
        bases, decorators = frozenset(entry.get("bases", ())), frozenset(entry.get("decorators", ()))
        parts.append((name, tuple(entry.get("suffixes", ())), bases, decorators, bool(entry.get("methods"))))
    return tuple(parts)


def read_structure(source: SourceFile, parsed: Parsed) -> Iterator[ArchitectureEvidence]:
    members: dict[int, list[Symbol]] = {}
    for symbol in parsed.symbols:
        if symbol.parent is not None and symbol.kind in ("method", "function", "property"):
            members.setdefault(symbol.parent, []).append(symbol)
    for place, symbol in enumerate(parsed.symbols):
        if symbol.kind in _TYPES:
            inside = members.get(place, [])
            yield from _part(source, symbol, inside)
            yield from _designs(source, symbol, inside)


def _last_part(name: str) -> str:
    name = name.partition("(")[0].partition("<")[0].strip()
    return name.rpartition("\\")[2].rpartition(".")[2]


def _part(source: SourceFile, symbol: Symbol, members: Sequence[Symbol]) -> Iterator[ArchitectureEvidence]:
    bases = {base.partition("<")[0].partition("[")[0].strip().lstrip("\\") for base in symbol.bases}
    bases |= {_last_part(base) for base in bases}
    decorators = {_last_part(decorator) for decorator in symbol.decorators}
    decorators |= {decorator.partition("(")[0] for decorator in symbol.decorators}
    for name, suffixes, known_bases, known_decorators, wants_methods in _parts():
        by_name = symbol.name.endswith(suffixes) and symbol.name not in suffixes if suffixes else False
        if not (by_name or bases & known_bases or decorators & known_decorators):
            continue
        if name == "command" and _is_console(source, symbol):
            return
        methods = ""
        if wants_methods:
            method_lines = [f"{member.name}:{member.lines.start}" for member in members if member.kind == "method"]
            methods = " ".join(method_lines[:_MAX_METHODS])
        how = "interface" if symbol.kind in ("interface", "trait") else "class"
        yield evidence("part", name, symbol.qualified, symbol.lines.start, how=how, methods=methods)
        return


def _designs(source: SourceFile, symbol: Symbol, members: Sequence[Symbol]) -> Iterator[ArchitectureEvidence]:
    names = {member.name for member in members}
    lower = {name.lower() for name in names}
    for design, reason in _design_reasons(source, symbol, members, names, lower):
        yield evidence("design", design, symbol.qualified, symbol.lines.start, why=reason, end=str(symbol.lines.end))


def _design_reasons(
    source: SourceFile, symbol: Symbol, members: Sequence[Symbol], names: set[str], lower: set[str]
) -> Iterator[tuple[str, str]]:
    name = symbol.name
    if reason := _singleton(source, symbol, lower):
        yield "singleton", reason
    makes = [word for word in names if word.lower().startswith(("create", "make", "build", "new", "get_", "for"))]
    if name.endswith("Factory") and name != "Factory" and makes:
        yield "factory", f"its method {min(makes)} makes objects"
    if name.endswith(("Repository", "RepositoryImpl")):
        stores = {member for member in names if {word.lower() for word in _WORD.findall(member)} & _STORING}
        based = [base for base in symbol.bases if "Repository" in base or "Interface" in base]
        if len(stores) >= 2:
            yield "repository", f"it hides storage behind {', '.join(sorted(stores)[:4])}"
        elif based:
            yield "repository", f"it is a {based[0]}"
    if (listens := lower & _SUBSCRIBE) and (notifies := lower & _NOTIFY):
        yield "observer", f"others subscribe with {min(listens)} and are notified by {min(notifies)}"
    builds = lower & {"build", "get", "getquery", "to_s", "get_result", "make"}
    if name.endswith("Builder") and builds and len(names) >= 3:
        yield "builder", "its methods put an object together that the last one returns"
    if len([member for member in names if member.lower().startswith("visit")]) >= 2:
        yield "visitor", "it has a visit method for each kind of node"
    yield from _by_base(source, symbol, members, lower)


def _by_base(
    source: SourceFile, symbol: Symbol, members: Sequence[Symbol], lower: set[str]
) -> Iterator[tuple[str, str]]:
    name = symbol.name
    takes = _constructor_parameters(members)
    if name.endswith("Adapter") and (symbol.bases or takes):
        foreign, own = takes[0] if takes else "something else", symbol.bases[0] if symbol.bases else "an interface"
        yield "adapter", f"it fits {foreign} to {own}"
    if name.endswith(("Decorator", "Wrapper")) and takes and symbol.bases and "Component" not in symbol.bases[0]:
        yield "decorator", f"it is a {symbol.bases[0]} around {takes[0]}"
    acts = lower & {"execute", "handle", "run", "__invoke", "call", "__call__", "perform"}
    if name.endswith("Command") and name != "Command" and acts and not _is_console(source, symbol):
        yield "command", f"an action as an object, done by {min(acts)}"
    for base in symbol.bases:
        if _last_part(base).endswith(("Strategy", "Policy")) and _last_part(base) not in (name, "ApplicationPolicy"):
            yield "strategy", f"one of the ways of {_last_part(base)}"
        if _last_part(base) in ("Facade",):
            yield "facade", "a short name for a service"
        if _last_part(base).startswith(("IRequestHandler", "ICommandHandler", "IQueryHandler", "INotificationHandler")):
            yield "mediator", f"it answers messages as {_last_part(base)}"
        records = ("models.Model", "ActiveRecord::Base", "db.Model")
        if _last_part(base) in ("ApplicationRecord", "Eloquent", "PanacheEntity") or base in records:
            yield "active record", "an object that loads and saves its own row"
    chain = lower & {"handle", "invoke", "invokeasync", "process", "use", "dispatch", "__call__", "dofilterinternal"}
    if name.endswith("Middleware") and chain:
        yield "middleware", f"it stands in the chain of a request with {min(chain)}"
    injected = {_last_part(decorator) for decorator in symbol.decorators} & _INJECTED
    injected |= {_last_part(d) for member in members for d in member.decorators} & {"Autowired", "Inject"}
    if injected and takes:
        yield "dependency injection", f"it is given {', '.join(takes[:4])}"


def _is_console(source: SourceFile, symbol: Symbol) -> bool:
    """Whether this is a terminal command, not a command object."""
    if any(_last_part(decorator) == "AsCommand" for decorator in symbol.decorators):
        return True
    bases = [_last_part(base) for base in symbol.bases]
    if any(base in ("Command", "BaseCommand", "AppCommand", "GeneratorCommand") for base in bases):
        return True
    return any(folder in f"/{source.path}" for folder in _CONSOLE_FOLDERS)


def _constructor_parameters(members: Sequence[Symbol]) -> tuple[str, ...]:
    for member in members:
        if member.name in ("__init__", "constructor", "__construct", "initialize") or member.kind == "constructor":
            return member.parameters
        if member.name and member.name[0].isupper() and member.returns is None and member.parameters:
            return member.parameters
    return ()


def _singleton(source: SourceFile, symbol: Symbol, lower: set[str]) -> str:
    if "Singleton" in symbol.bases or any(_last_part(d) == "singleton" for d in symbol.decorators):
        return "it is marked as a singleton"
    gives = lower & {"getinstance", "get_instance", "instance", "shared", "__new__", "sharedinstance"}
    if not gives:
        return ""
    lines = source.text.split("\n")[symbol.lines.start - 1 : symbol.lines.end]
    body = "\n".join(lines[:400]).lower()
    return f"{min(gives)} always gives the same object" if _KEPT.search(body) else ""
