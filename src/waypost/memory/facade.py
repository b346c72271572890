"""`Memory`, the façade: everyday methods, and groups for the rest."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from waypost import flows
from waypost.config import Settings
from waypost.errors import InvalidInput, NotFound, StoreCorrupt
from waypost.flows.open_space import OpenSpace
from waypost.memory.handle import LIBRARY, MemoryHandle, When, open_handle
from waypost.model.code_link import LinkedMemory
from waypost.model.draft import MAX_LEVEL, Draft, check_line, check_whole
from waypost.model.kinds import KEPT_COLLECTIONS, kind_of
from waypost.model.memory import Caller
from waypost.model.recall import Answer, View
from waypost.model.receipt import Receipt
from waypost.model.time import Clock, utc_now
from waypost.space.identity import Identity
from waypost.store.protocol import Filter, Reader

if TYPE_CHECKING:
    from waypost.memory.admin import MemoryAdmin
    from waypost.memory.chat import Chat
    from waypost.memory.code import MemoryCode
    from waypost.memory.facts import MemoryFacts
    from waypost.memory.journal import Journal

BRIEF_TOKENS = 2000  # default budget of a briefing
SCOPE_TOKENS = 500  # default budget of the preset `scope`
MOST_LISTED = 1_000_000
PRESETS = ("scope", "route", "inject", "journal")
_LONGEST_PAUSE = 525_600  # minutes: a year

Ref = str | Mapping[str, Any]  # "src/storage.ts#L42-L87", or an object with `file_path`


class Memory:
    """Long-term memory of one project or person.

    Everyday work is on the object itself. The groups `code`, `facts`, `journal` and `admin` have the rest.
    """

    def __init__(self, identity: Identity, settings: Settings, caller: Caller, clock: Clock = utc_now) -> None:
        self._handle = MemoryHandle(identity, settings, caller, clock)

    # -- opening ------------------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        path: str | Path = ".",
        *,
        person: str | None = None,
        space_id: str | None = None,
        caller: Caller = LIBRARY,
        settings: Settings | None = None,
        clock: Clock = utc_now,
        for_repair: bool = False,
    ) -> Self:
        """Open the memory of a project or a person. A new project gets an empty one.

        Args:
            path: Any folder of the project.
            person: Open this person's memory instead.
            space_id: The id you expect. Waypost computes the id; another one raises SecurityError.
            caller: Who reads and writes. Code that uses the library counts as an agent.
            settings: Settings to use instead of the config file and the environment.
            clock: Returns the current time.
            for_repair: Open a damaged database too, for `admin.doctor` and `admin.export`.

        Returns:
            The memory. It is also a context manager that closes it.
        """
        handle = open_handle(
            path, person=person, space_id=space_id, caller=caller, settings=settings, clock=clock, for_repair=for_repair
        )
        return cls(handle.identity, handle.settings, handle.caller, handle.clock)

    def close(self) -> None:
        """Close the database now. The next call opens it again."""
        self._handle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def identity(self) -> Identity:
        """Which project or person it is: `space_id`, `name`, `root` and more. Opens no database."""
        return self._handle.identity

    @property
    def space(self) -> OpenSpace:
        """The internal workspace: store, folder, settings, clock. For code inside the package and its tests."""
        return self._handle.space

    # -- groups -------------------------------------------------------------------------------------------
    # Each is imported on first use: a hook only reads, and has no time for the rest.

    @property
    def code(self) -> "MemoryCode":
        """The repository: its files, symbols and architecture, and the memories about them."""
        from waypost.memory.code import MemoryCode

        return MemoryCode(self._handle)

    @property
    def facts(self) -> "MemoryFacts":
        """Facts: learning, review, levels and lifetimes."""
        from waypost.memory.facts import MemoryFacts

        return MemoryFacts(self._handle)

    @property
    def journal(self) -> "Journal":
        """Conversations and notes, in Markdown files that people can read and edit."""
        from waypost.memory.journal import Journal

        return Journal(self._handle)

    @property
    def admin(self) -> "MemoryAdmin":
        """Operations: repair, maintenance, export, import, snapshots, sharing, checkouts."""
        from waypost.memory.admin import MemoryAdmin

        return MemoryAdmin(self._handle)

    def chat(
        self, user: str | int, *, name: str = "user", assistant: str = "assistant", pause_minutes: float = 30
    ) -> "Chat":
        """Open the chat of one user of an assistant, in the memory of the person of this name.

        Args:
            user: Who it is: any name or number that stays the same, such as a Telegram id.
            name: The user's name as speaker.
            assistant: The assistant's name as speaker.
            pause_minutes: A longer pause begins a new session.

        Returns:
            The chat: `turn`, `context`, `command`.
        """
        from waypost.memory.chat import Chat

        if isinstance(user, bool) or not isinstance(user, (str, int)):
            raise InvalidInput(f"The user {user!r} is no name and no number.", "Give one that stays the same.")
        if not 0 <= pause_minutes <= _LONGEST_PAUSE:  # also false for NaN
            raise InvalidInput(
                f"pause_minutes is {pause_minutes}.", f"Give minutes, from 0 to {_LONGEST_PAUSE} (a year)."
            )
        own = self._handle
        handle = open_handle(".", person=str(user), caller=own.caller, settings=own.settings, clock=own.clock)
        memory = Memory(handle.identity, handle.settings, handle.caller, handle.clock)
        return Chat(memory, handle, name, assistant, timedelta(minutes=pause_minutes))

    # -- writing ------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        kind: str = "fact",
        refs: str | Sequence[Ref] = (),
        level: int | None = None,
        domain: str | None = None,
        module: str | None = None,
        parent: str | None = None,
        replaces: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        time: When = None,
        key: str | None = None,
        valid_from: When = None,
        valid_until: When = None,
        ttl: int | None = None,
        ttl_class: str | None = None,
        refresh: str | Sequence[str] = (),
        on_expire: str | None = None,
        evidence: str | Sequence[str] = (),
        tags: Mapping[str, str] | None = None,
        category: str | None = None,
        scope: str | None = None,
        entity: str | None = None,
        artifact_type: str | None = None,
        artifact_ref: str | None = None,
        access_entity: str | None = None,
        source: str | None = None,
        actor: str | None = None,
    ) -> Receipt:
        """Store one memory.

        Args:
            text: What to remember.
            kind: `fact`, `learning`, `decision`, `conversation`, `note` or another kind.
            refs: Code that it is about, such as `src/app.py#L1-L9` or `src/app.py#main`.
            level: 0 project, 1 domain, 2 module, 3 code.
            domain: The part of the project it belongs to.
            module: The module it belongs to.
            parent: Id of the memory that contains it.
            replaces: Id of the memory that is no longer true. A person must approve replacing a person's text.
            session: The conversation it belongs to; `kind="conversation"` needs one.
            speaker: Who said it.
            time: When it was said.
            key: Your own name for it; recall returns it. The same key is stored once.
            valid_from: Since when it is true.
            valid_until: Until when it is true.
            ttl: Seconds until it expires.
            ttl_class: A named lifetime instead of `ttl`.
            refresh: Globs of files. A change of such a file restarts the lifetime.
            on_expire: `stale`, `archive` or `delete`.
            evidence: Where it comes from: a pull request, a commit, a document.
            tags: Names and values of your own.
            category: A label of other tools, stored as it is. So are the next five.
            scope: Label.
            entity: Label.
            artifact_type: Label.
            artifact_ref: Label.
            access_entity: Label.
            source: The origin that the text claims. It is recorded, but the caller counts.
            actor: The author that the text claims. It is recorded, but the caller counts.

        Returns:
            The id, and whether the memory was added, merged, a duplicate or refused. `review` is set if a person
            must approve it first.
        """
        fields = {
            "text": text, "kind": kind, "refs": refs, "level": level, "domain": domain, "module": module,
            "parent": parent, "replaces": replaces, "session": session, "speaker": speaker, "time": time, "key": key,
            "valid_from": valid_from, "valid_until": valid_until, "ttl": ttl, "ttl_class": ttl_class,
            "refresh": refresh, "on_expire": on_expire, "evidence": evidence, "tags": tags, "category": category,
            "scope": scope, "entity": entity, "artifact_type": artifact_type, "artifact_ref": artifact_ref,
            "access_entity": access_entity, "source": source, "actor": actor,
        }  # fmt: skip
        draft = Draft.of(self._handle.resolved(fields))
        with self._handle.own_memories(replaces, parent):
            return next(flows.write.remember.remember(self.space, [draft], self._handle.caller, direct=True))

    def remember_many(self, memories: Iterable[Mapping[str, Any]]) -> Sequence[Receipt]:
        """Store many memories in order. All are checked before the first is written.

        Args:
            memories: Objects with `text` and any other argument of `remember`.

        Returns:
            One receipt for each, in the same order.
        """
        drafts = []
        for index, fields in enumerate(memories):
            try:
                drafts.append(Draft.of(self._handle.resolved(fields)))
            except InvalidInput as error:
                raise type(error)(f"Memory {index}: {error.what}", error.remedy) from error
        with self._handle.own_memories():
            return list(flows.write.remember.remember(self.space, drafts, self._handle.caller, direct=False))

    def decide(
        self,
        text: str,
        *,
        because: "Sequence[flows.facts.decide.Part]" = (),
        leads_to: "Sequence[flows.facts.decide.Part]" = (),
        given: "Sequence[flows.facts.decide.Part]" = (),
        strength: float | None = None,
        replaces: str | None = None,
        refs: str | Sequence[Ref] | None = None,
        evidence: str | Sequence[str] | None = None,
        tags: Mapping[str, str] | None = None,
        level: int | None = None,
        domain: str | None = None,
        module: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        time: When = None,
        valid_from: When = None,
        valid_until: When = None,
        ttl: int | None = None,
        key: str | None = None,
    ) -> "flows.facts.decide.Decided":
        """Record a decision with its reasons, consequences and constraints. Each is a text or the id of a memory.

        Args:
            text: The decision, or the id of one to add to.
            because: Its reasons.
            leads_to: Its consequences.
            given: What limited the choice.
            strength: How sure the links are, from 0 to 1.
            replaces: Id of the decision that no longer holds.
            refs: Code that the decision is about.
            evidence: Where it comes from.
            tags: Names and values of your own.
            level: 0 project, 1 domain, 2 module, 3 code. It applies to all parts, as do the next six.
            domain: The part of the project.
            module: The module.
            session: The conversation.
            speaker: Who said it.
            time: When it was said.
            valid_from: Since when it holds.
            valid_until: Until when the decision holds.
            ttl: Seconds until the decision expires.
            key: Your own name for the decision.

        Returns:
            The receipts of the decision and its parts, and the links between them.
        """
        fields = {
            "strength": strength, "replaces": replaces, "refs": refs, "evidence": evidence, "tags": tags,
            "level": level, "domain": domain, "module": module, "session": session, "speaker": speaker, "time": time,
            "valid_from": valid_from, "valid_until": valid_until, "ttl": ttl, "key": key,
        }  # fmt: skip
        given_options = self._handle.resolved(fields)
        options = {name: value for name, value in given_options.items() if value is not None}
        text = self._handle.id_or_text(text)
        reasons, effects, conditions = ([self._part(part) for part in parts] for parts in (because, leads_to, given))
        with self._handle.own_memories(text, *reasons, *effects, *conditions, replaces):
            return flows.facts.decide.decide(
                self.space,
                text,
                self._handle.caller,
                because=reasons,
                leads_to=effects,
                given=conditions,
                options=options,
            )

    def _part(self, part: "flows.facts.decide.Part") -> "flows.facts.decide.Part":
        """A part of a decision, with a whole id in place of a short one."""
        if isinstance(part, tuple):
            return self._handle.id_or_text(part[0]), part[1]
        return self._handle.id_or_text(part)

    def correct(self, memory_id: str, text: str, *, valid_from: When = None, valid_until: When = None) -> Receipt:
        """Fix a memory's text; the old version stays in its history.

        Args:
            memory_id: The memory.
            text: The right text.
            valid_from: Since when it is true; unchanged by default.
            valid_until: Until when it is true; unchanged by default.

        Returns:
            The receipt. An agent can only propose to correct a person's text: then `review` is set.
        """
        memory_id = self._handle.full_id(memory_id)
        with self._handle.own_memories(memory_id):
            return flows.write.lifecycle.correct(
                self._handle.current,
                memory_id,
                text,
                self._handle.caller,
                valid_from=self._handle.time(valid_from, "valid_from"),
                valid_until=self._handle.time(valid_until, "valid_until"),
            )

    def retract(self, memory_id: str, *, valid_until: When = None) -> Receipt | None:
        """Withdraw a memory without a replacement. What it had replaced holds again.

        Args:
            memory_id: The memory.
            valid_until: It was true until then; by default it never was.

        Returns:
            None, or the receipt of a proposal if a person must approve this.
        """
        memory_id = self._handle.full_id(memory_id)
        with self._handle.own_memories(memory_id):
            return flows.write.lifecycle.retract(
                self._handle.current,
                memory_id,
                self._handle.caller,
                valid_until=self._handle.time(valid_until, "valid_until"),
            )

    def reject(self, memory_id: str) -> None:
        """Withdraw the memory `memory_id` and refuse its value from now on. What it had replaced holds again."""
        memory_id = self._handle.full_id(memory_id)
        with self._handle.own_memories(memory_id):
            flows.write.lifecycle.reject(self._handle.current, memory_id, self._handle.caller)

    def restore(self, memory_id: str, *, version: int | None = None) -> Receipt:
        """Undo `retract` or `reject`, or go back to an older version. `forget` cannot be undone.

        Args:
            memory_id: The memory.
            version: Number of a version in its history; by default the last one that held.

        Returns:
            The receipt of the restored memory.
        """
        memory_id = self._handle.full_id(memory_id)
        with self._handle.own_memories(memory_id):
            return flows.write.undo.restore(self._handle.current, memory_id, self._handle.caller, number=version)

    def forget(
        self, memory_id: str, *, keep_answers: bool = False, dry_run: bool = False
    ) -> "flows.erase.forget.Forgotten":
        """Remove a memory and every trace of it, for good.

        Args:
            memory_id: The memory.
            keep_answers: Keep what the assistant answered to it. By default its answers go too, except protected ones.
            dry_run: Only check that it exists, and which answers would go.

        Returns:
            What was removed, and where removal is still pending.
        """
        memory_id = self._handle.full_id(memory_id)
        with self._handle.own_memories(memory_id):
            return flows.erase.forget.forget(
                self._handle.current, memory_id, self._handle.caller, keep_answers=keep_answers, dry_run=dry_run
            )

    def protect(self, memory_id: str, *, on: bool = True) -> None:
        """Exempt the memory `memory_id` from expiry, pruning and condensing; with `on=False`, end that."""
        memory_id = self._handle.full_id(memory_id)
        with self._handle.own_memories(memory_id):
            flows.write.lifecycle.protect(self._handle.current, memory_id, self._handle.caller, on=on)

    def verify(
        self, memory_ids: str | Iterable[str] = (), *, files: Iterable[str | Path] | None = None, every: bool = False
    ) -> "flows.links.repair.Repaired":
        """Confirm that memories are true of the code as it is now, so that they are no longer stale.

        Args:
            memory_ids: One id or several.
            files: All memories about these files instead.
            every: All stale memories instead.

        Returns:
            The confirmed memories, and those that could not be confirmed.
        """
        chosen = list(map(self._handle.full_id, [memory_ids] if isinstance(memory_ids, str) else memory_ids))
        paths = None if files is None else [str(path) for path in files]
        with self._handle.own_memories(*chosen):
            return flows.links.repair.verify(self.space, self._handle.caller, chosen, files=paths, every=every)

    def index(
        self,
        *,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        force: bool = False,
        database: str | None = None,
        wait: bool = True,
        explain: bool = False,
        facts: bool = False,
        report: "flows.index.build.Report" = lambda *_: None,
        scip: str | Path | None = None,
    ) -> "flows.admin.init.IndexReport":
        """Index the repository: what is new or changed since the last time.

        Args:
            include: Globs of files to index. They apply until you give others.
            exclude: Globs of files to leave out. They apply until you give others.
            force: Index everything again.
            database: URL of a live database whose schema is indexed too.
            wait: Wait for embeddings; without it they follow in the background.
            explain: List every skipped file.
            facts: Also remember what the project says about itself, once; see `facts.discover`.
            report: Called with the phase, how many are done, and the total.
            scip: A SCIP index of a compiler or type checker; `index.scip` in the repository by default.

        Returns:
            What was indexed and skipped.
        """
        return flows.admin.init.init(
            self.space,
            self._handle.caller,
            include=include,
            exclude=exclude,
            force=force,
            database=database,
            wait=wait,
            explain=explain,
            facts=facts,
            report=report,
            scip=None if scip is None else Path(scip),
        )

    # -- reading ------------------------------------------------------------------------------------------

    def recall(
        self,
        question: str,
        k: int = 5,
        *,
        scope: str = "all",
        as_of: When = None,
        known_at: When = None,
        now: When = None,
        fresh: bool = False,
        min_confidence: float = 0.0,
        exclude_tags: Sequence[str] = (),
        archived: bool = False,
        shared: bool = True,
        unlikely: bool = False,
    ) -> Answer:
        """Find the memories and the code that answer a question best.

        Args:
            question: A question or keywords.
            k: How many hits at most.
            scope: `all`, `code`, `functions`, `database`, `architecture`, `journal` or `facts`.
            as_of: Answer for this instant; now by default.
            known_at: Use only what was recorded by then.
            now: The time of the question, for words like "yesterday".
            fresh: Leave out stale hits.
            min_confidence: Leave out hits with less confidence.
            exclude_tags: Leave out hits with these tags, each a name or `name=value`.
            archived: Include archived memories.
            shared: Include what other projects share.
            unlikely: Include hits that probably do not answer, and turns that only ask, command or greet.

        Returns:
            The hits, best first, with notices. None if nothing relevant was found.
        """
        hit_filter = flows.recall.candidates.RecallFilter(fresh, min_confidence, tuple(exclude_tags))

        def view(reader: Reader) -> View:
            return self._handle.view_in(reader, scope, as_of, known_at, archived=archived)

        return flows.recall.search.ask(
            self.space,
            question,
            view,
            k=k,
            now=self._handle.time(now, "now"),
            wanted=hit_filter,
            shared=shared,
            unlikely=unlikely,
        )

    def brief(
        self,
        task: str,
        tokens: int | None = None,
        *,
        preset: str | None = None,
        include_stale: bool = False,
        include_l0: bool = True,
        as_of: When = None,
        known_at: When = None,
        now: When = None,
    ) -> "flows.context.brief.Briefing":
        """Collect what an agent should know before it starts on a task, fenced as data.

        Args:
            task: The task in words.
            tokens: Budget; 2,000 by default, 500 for `scope`.
            preset: `scope` for code only, `route` for facts by level and domain, `inject` or `journal`.
            include_stale: For `route`: include stale facts.
            include_l0: For `route`: include facts about the whole project.
            as_of: Answer for this instant; now by default.
            known_at: Use only what was recorded by then.
            now: The time of the task, for words like "yesterday".

        Returns:
            The text, its size in tokens, the memories in it, and DNA.md as a field of its own.
        """
        space, view = self._handle.current, self._handle.view("all", as_of, known_at)
        budget, instant = BRIEF_TOKENS if tokens is None else tokens, self._handle.time(now, "now")
        context = flows.context
        made: flows.context.brief.Briefing
        if preset is None:
            made = context.brief.brief(space, task, view, tokens=budget, now=instant)
        elif preset == "scope":
            made = context.scope.scope_brief(space, task, view, tokens=SCOPE_TOKENS if tokens is None else tokens)
        elif preset == "route":
            made = context.route.route_brief(
                space, task, view, tokens=budget, include_stale=include_stale, include_l0=include_l0
            )
        elif preset == "inject":
            made = context.inject.inject_brief(space, task, view, tokens=budget, now=instant)
        elif preset == "journal":
            made = context.journal.journal_brief(space, task, view, tokens=tokens, now=instant)
        else:
            raise InvalidInput(f"There is no preset {preset[:40]!r}.", f"Presets: {', '.join(PRESETS)}.")
        return replace(made, dna=context.dna.trusted_dna(space))

    def why(
        self, question: str, *, depth: int = 5, as_of: When = None, known_at: When = None
    ) -> "flows.recall.why.CausalChain":
        """Find the decision that a question is about, with what led to it and what follows from it.

        Args:
            question: For example "why do we use FastAPI?", or the id of a memory.
            depth: How many links to follow.
            as_of: Answer for this instant; now by default.
            known_at: Use only what was recorded by then.

        Returns:
            The decision and its causal links.
        """
        view = self._handle.view("facts", as_of, known_at)
        return flows.recall.why.why(self.space, self._handle.full_id(question), view, depth=depth)

    def show(self, memory_id: str, *, as_of: When = None, known_at: When = None) -> LinkedMemory:
        """Return one memory with its code references and their state. It may be one that another project shares.

        Args:
            memory_id: The memory.
            as_of: The version that held at this instant; now by default.
            known_at: Use only what was recorded by then.

        Returns:
            The version, its state and its links.
        """
        memory_id = self._handle.full_id(memory_id)
        space, moment = self._handle.current, self._handle.moment(as_of, known_at)
        try:
            return flows.links.staleness.find_linked(space, memory_id, moment)
        except NotFound:
            self._refuse_unreadable(memory_id)
            shared = flows.share.owner.find_shared(space, memory_id, moment)
            if shared is None:
                raise
            return shared

    def list(
        self,
        *,
        kind: str | None = None,
        level: int | None = None,
        domain: str | None = None,
        module: str | None = None,
        session: str | None = None,
        tags: Mapping[str, str] | None = None,
        limit: int = 50,
        archived: bool = False,
        as_of: When = None,
        known_at: When = None,
    ) -> Sequence[dict[str, Any]]:
        """List recent memories, newest last. `admin.page` lists them newest first, page by page.

        Args:
            kind: Only this kind. Memories derived from code are listed only by their kind.
            level: Only this level.
            domain: Only this domain.
            module: Only this module.
            session: Only this conversation.
            tags: Only memories with these tags and values.
            limit: How many at most.
            archived: Include archived memories.
            as_of: List what was true at this instant; now by default.
            known_at: Use only what was recorded by then.

        Returns:
            One object for each memory, with the keys of an export.
        """
        chosen, most = listing_filter(kind, level, domain, module, session, tags), check_limit(limit)
        space = self._handle.current
        view = listing_view(self._handle, kind, as_of, known_at, archived)
        return flows.move.export.latest_rows(space, view, chosen, most)

    def history(self, memory_id: str, *, as_of: When = None, known_at: When = None) -> "flows.write.lifecycle.History":
        """Return every version of a memory.

        Args:
            memory_id: The memory.
            as_of: Only versions about this instant.
            known_at: Only versions recorded by then.

        Returns:
            The versions, and what the memory replaced or was replaced by.
        """
        memory_id = self._handle.full_id(memory_id)
        try:
            return flows.write.lifecycle.history(self._handle.current, memory_id, self._handle.moment(as_of, known_at))
        except NotFound:
            self._refuse_unreadable(memory_id)
            raise

    def status(self) -> dict[str, Any]:
        """Return counts, sizes, the state of the index and of the embeddings, and what needs attention."""
        return flows.admin.status.status(self._handle.current)

    def _refuse_unreadable(self, memory_id: str) -> None:
        """Raise StoreCorrupt for a memory that exists and cannot be read."""
        store = self.space.store
        if store.known_damage() and memory_id in store.unreadable():
            raise StoreCorrupt(
                f"The memory {memory_id} cannot be read: the database is damaged.", flows.findings.DATABASE.remedy
            )


def listing_filter(
    kind: str | None,
    level: int | None,
    domain: str | None,
    module: str | None,
    session: str | None,
    tags: Mapping[str, str] | None,
) -> Filter:
    """The checked filter of `Memory.list` and `admin.page`."""
    return Filter(
        (kind_of(kind).name,) if kind else (),
        None if level is None else check_whole(level, "level", 0, MAX_LEVEL),
        check_line(domain, "domain") if domain else domain,
        check_line(session, "session") if session else session,
        tuple((check_line(name, "tag name"), check_line(value, "tag")) for name, value in (tags or {}).items()),
        check_line(module, "module") if module else module,
    )


def listing_view(handle: MemoryHandle, kind: str | None, as_of: When, known_at: When, archived: bool) -> View:
    """What a listing looks at: all collections for one kind, else only what was not derived from code."""
    view = handle.view("all", as_of, known_at, archived=archived)
    return view if kind is not None else replace(view, collections=KEPT_COLLECTIONS)


def check_limit(limit: int) -> int:
    return check_whole(limit, "limit", 1, MOST_LISTED)
