"""Resolve mount targets to routers: `users.router`, `require("./users")`, `"shop.urls"`, `users::router()`."""

import posixpath
from dataclasses import dataclass, field

from waypost.code.architecture.evidence import ArchitectureEvidence, EvidenceByPath

Node = tuple[str, str]  # a file, and its name for the router
_SCRIPTS = (".ts", ".js", ".tsx", ".jsx", ".mjs", ".cjs", ".mts")
_USUAL = ("router", "default", "app", "routes", "urlpatterns", "blueprint", "bp", "api")


@dataclass(slots=True)
class RouterIndex:
    routers: dict[str, list[ArchitectureEvidence]] = field(default_factory=dict)
    mounts: dict[str, list[ArchitectureEvidence]] = field(default_factory=dict)
    links: dict[str, dict[str, ArchitectureEvidence]] = field(default_factory=dict)
    owners: dict[str, list[str]] = field(default_factory=dict)  # the routers of a file
    by_owner: dict[str, list[str]] = field(default_factory=dict)  # files with a router of this name
    by_tail: dict[str, list[str]] = field(default_factory=dict)  # paths without extension, by last part

    @classmethod
    def of(cls, evidence: EvidenceByPath) -> "RouterIndex":
        index = cls()
        for path, items in evidence.items():
            owners: dict[str, None] = {}
            for item in items:
                if item.kind == "router":
                    index.routers.setdefault(path, []).append(item)
                    owners[item.name] = None
                elif item.kind == "mount":
                    index.mounts.setdefault(path, []).append(item)
                    owners[item.get("owner")] = None
                elif item.kind == "route":
                    owners[item.get("owner")] = None
                elif item.kind == "link":
                    index.links.setdefault(path, {})[item.name] = item
            if owners:
                index.owners[path] = list(owners)
                for owner in owners:
                    index.by_owner.setdefault(owner, []).append(path)
                index.by_tail.setdefault(_tail(path), []).append(path)
        return index


def _tail(path: str) -> str:
    """A module's short name: its file, or its directory for an index file."""
    stem = posixpath.splitext(path)[0]
    for index in ("/index", "/__init__", "/mod"):
        stem = stem.removesuffix(index)
    return stem.rpartition("/")[2]


def resolve(target: str, path: str, routes: RouterIndex) -> list[Node]:
    """The routers that `target` in the file `path` may refer to. Empty if unknown."""
    if target.startswith("require:"):
        return _file_nodes(_script(target.removeprefix("require:"), path, routes), "", routes)
    if target in routes.owners.get(path, ()):
        return [(path, target)]
    links = routes.links.get(path, {})
    first, _, rest = target.replace("::", ".").partition(".")
    link = links.get(target) or links.get(first)
    if link is not None:
        nodes = _linked(link, rest if link.name == first else "", path, routes)
        if nodes:
            return nodes
    if path.endswith(".py"):
        module = _module(target, path, routes)
        if module:
            return _file_nodes(module, "urlpatterns", routes)
        return []
    return _by_name(target, path, routes)


def _linked(link: ArchitectureEvidence, rest: str, path: str, routes: RouterIndex) -> list[Node]:
    member = link.get("member")
    if path.endswith(".py"):
        inner = _module(f"{link.value}.{member}" if member else link.value, path, routes)
        if inner:  # `from app.api import users` names a module
            return _file_nodes(inner, rest, routes)
        outer = _module(link.value, path, routes)
        if outer:
            return _file_nodes(outer, member or rest, routes)
        if not member and rest:  # `import app` … `app.users.router`
            module, _, name = rest.rpartition(".")
            deeper = _module(f"{link.value}.{module}" if module else link.value, path, routes)
            return _file_nodes(deeper, name, routes)
        return []
    return _file_nodes(_script(link.value, path, routes), rest or member, routes)


def _file_nodes(file: str, name: str, routes: RouterIndex) -> list[Node]:
    """The router `name` in a file, else the usual one, else the only one."""
    if not file:
        return []
    owners = routes.owners[file]
    last = name.rpartition(".")[2]
    for candidate in (name, last):
        if candidate and candidate in owners:
            return [(file, candidate)]
    if "" in owners and len(owners) == 1:
        return [(file, "")]
    mounted = {item.name for item in routes.mounts.get(file, ())}
    free = [owner for owner in owners if owner not in mounted]
    if len(free) == 1:
        return [(file, free[0])]
    for usual in _USUAL:
        if usual in free:
            return [(file, usual)]
    return []


def _script(module: str, path: str, routes: RouterIndex) -> str:
    """A file by the path in `require` or `import`, or by an alias such as `@/routes/users`."""
    base = posixpath.normpath(posixpath.join(posixpath.dirname(path), module)) if module.startswith(".") else ""
    if base:
        for candidate in (base, *(base + end for end in _SCRIPTS), *(f"{base}/index{end}" for end in _SCRIPTS)):
            if candidate in routes.owners:
                return candidate
        stem = posixpath.splitext(base)[0]  # `./users.js` written in TypeScript
        return next((stem + end for end in _SCRIPTS if stem + end in routes.owners), "")
    wanted = posixpath.splitext(module.lstrip("/@~#"))[0] if module.endswith(_SCRIPTS) else module.lstrip("/@~#")
    if not wanted or ("/" not in wanted and not module.startswith(("/", "@/", "~/"))):
        return ""
    if module.endswith(".php"):
        return next((file for file in routes.owners if file == wanted or file.endswith("/" + wanted)), "")
    for file in routes.by_tail.get(wanted.rpartition("/")[2], ()):
        stem = posixpath.splitext(file)[0].removesuffix("/index")
        if stem == wanted or stem.endswith("/" + wanted):
            return file
    return ""


def _module(module: str, path: str, routes: RouterIndex) -> str:
    """A Python file by its dotted name, relative or absolute. Of several, the nearest."""
    level = len(module) - len(module.lstrip("."))
    parts = [part for part in module.lstrip(".").split(".") if part]
    if level:
        base = path.split("/")[:-level]
        wanted = "/".join([*base, *parts])
        return next((file for file in (f"{wanted}.py", f"{wanted}/__init__.py") if file in routes.owners), "")
    if not parts:
        return ""
    wanted = "/".join(parts)
    fitting = [
        file
        for file in routes.by_tail.get(parts[-1], ())
        if (stem := file.removesuffix(".py").removesuffix("/__init__")) == wanted or stem.endswith("/" + wanted)
    ]
    return max(fitting, key=lambda file: (len(posixpath.commonpath([file, path])), -len(file)), default="")


def _by_name(target: str, path: str, routes: RouterIndex) -> list[Node]:
    """A function or handler by name. If ambiguous, the preceding words select the file or directory."""
    parts = target.replace("::", ".").split(".")
    files = routes.by_owner.get(parts[-1], []) or routes.by_owner.get(target, [])
    owner = parts[-1] if routes.by_owner.get(parts[-1]) else target
    if len(files) > 1 and len(parts) > 1:
        named = [file for file in files if parts[-2] in (_tail(file), posixpath.basename(posixpath.dirname(file)))]
        files = named or files
    if len(files) > 1:
        near = posixpath.dirname(path)
        files = [file for file in files if posixpath.dirname(file) == near and file != path] or files
    return [(files[0], owner)] if len(files) == 1 else []
