"""Collect the content of the index page: the last thirty days, summaries, preferences, figures, maintenance."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from waypost.errors import WaypostError
from waypost.flows.journal.importance import scored
from waypost.flows.journal.personal import person_of
from waypost.flows.journal_files.language import journal_language
from waypost.flows.journal_files.log import last_cleanup, next_cleanup
from waypost.flows.journal_files.preferences import promoted_ids
from waypost.flows.journal_files.tally import journal_tally, named_entries
from waypost.flows.open_space import OpenSpace
from waypost.journal.bullets import Bullet, parse_bullets
from waypost.journal.importance.word_lists import sentences_of
from waypost.journal.layout import (
    ARCHIVE,
    DNA,
    INDEX,
    PREFERENCES,
    STAGES,
    archived_path,
    day_path,
    month_of,
    stage_of,
    week_of,
    year_of,
)
from waypost.journal.memory_page.content import (
    CondenseState,
    Day,
    IndexContent,
    JournalFigures,
    Period,
    PersonLine,
    RecurringTopic,
    SourcedLine,
)
from waypost.journal.memory_page.days import (
    IMPORTANT,
    IMPORTANT_DAYS,
    LONGEST_ENTRY,
    LONGEST_TOPIC,
    MODERATE,
    PASSING,
    stands_alone,
    stays,
    topic_with_sources,
)
from waypost.journal.memory_page.lines import (
    in_all_languages,
    one_line,
    phrases,
    sources_of,
    whole_sentences,
    without_sources,
)
from waypost.journal.memory_page.person_section import MOST_MILESTONES, MOST_PREFERENCES
from waypost.journal.memory_page.tally import files_by_day
from waypost.journal.period_pages.frame import split_frame
from waypost.journal.period_pages.items import source_of
from waypost.journal.statements.corrections import corrects, in_context
from waypost.journal.statements.matters import (
    DatedSentence,
    is_milestone,
    is_past,
    is_reached,
    is_turning_point,
    outdated,
)
from waypost.journal.statements.openings import without_opening
from waypost.journal.statements.profile import PersonalFact, is_own_preference, needs_in, sentence_terms
from waypost.journal.statements.recognise import JOY, SpokenStatement, is_event, main_statement, statements_of
from waypost.journal.wording import language_at_start, topic_headings, without_markdown
from waypost.model.journal import Entry, ScoredEntry, mark_of
from waypost.store.journal import FileStamp

MOST_LINES_OF_A_SUMMARY = 4
MOST_CORRECTIONS = 2  # beside these lines
MOST_FREQUENT = 3
MOST_STATED = 10
PERSONAL = 3  # relevance points of preferences and personal goals
PERSON_ORDER = (
    *("name", "age", "home", "language", "languages", "work", "birthday", "people", "pets", "mentioned", "family"),
    *("health", "diet", "goal"),
)
_OF_PEOPLE = ("people", "pets", "mentioned")
_GROUP = re.compile(r"\s*- \*\*[^*]+\*\*\s*$")  # the name of a topic, above its lines
_HINTS = re.compile(r"; [^();:]+: [^();]*+\)$")  # "see also" at the end of a line
_EMPLOYER = re.compile(r"^(?:at|for) (?=[A-Z])")  # what a label says already
_DAY = re.compile(r"(?<!\d)20\d\d-\d\d-\d\d(?!\d)")
_SURE_LANGUAGE = 60  # characters that show a language
PROJECT_MENTIONS, PROJECT_DAYS, PROJECT_RELEVANCE = 3, 2, 2  # from which a topic counts as a project
PROJECT_PAUSE = timedelta(days=60)  # a project nobody mentioned for longer is not active
_NOTHING = DatedSentence("", "en", date.min)
_STEPS = ("goal", "decision", "progress", "result")


def content_of(space: OpenSpace) -> IndexContent:
    now = space.journal.local(space.clock())
    files = space.journal.scan()
    days = _recent(space, files)
    said = _entries_by_day(space, days)
    bullets = _preferences(space)
    older = _older_preferences(space, bullets, said.values())
    recent = [entry for entries in said.values() for entry in entries]
    judged = scored(space, [*older, *recent], space.clock())
    of_days = judged[len(older) :]
    tally = journal_tally(space)
    language = journal_language(space, space.clock())
    facts = person_of(space)
    person = tuple(_person_lines(space, facts, language))
    stated = (
        *_preference_lines(bullets),
        *_lasting_preferences(facts, promoted_ids(space)),
        *_recent_statements(of_days, promoted_ids(space), now),
    )
    dropped = {fact.about for fact in facts if fact.slot == "dropped"}
    stated = tuple({line.ids or line.text: line for line in reversed(stated)}.values())[::-1]
    stated = tuple(line for line in stated if not line.ids or not dropped.issuperset(line.ids))
    events = [line for line in stated if line.ids and is_event(line.text, language_at_start(line.text) or "en")]
    days_said = {fact.id: fact.day for fact in facts} | {
        item.entry.id: space.journal.today(item.entry.at) for item in judged if item.entry.id
    }
    liked = [
        line
        for line in stated
        if line not in events and not _is_above(line, person) and not _is_over(line, days_said, now.date())
    ]
    return IndexContent(
        language=language,
        now=now,
        condensing=_last_cleanup_state(space, of_days),
        created=tally.first,
        person=person,
        ongoing=tuple(_ongoing(space, of_days)),
        preferences=tuple(_dated_line(space, "preference", line, days_said) for line in liked),
        milestones=tuple(_milestones(space, facts)),
        has_preferences=PREFERENCES in files,
        projects=tuple(_projects(space, judged, now.date())),
        days=tuple(_days(days, said, of_days)),
        periods=tuple(_periods(space, files)),
        figures=JournalFigures(
            len(tally.sessions), tally.mean_length, tally.busiest, tuple(_frequent(of_days)), tuple(_sizes(files))
        ),
    )


def frequent_topics(space: OpenSpace) -> list[tuple[SourcedLine, float]]:
    """The main topics of the last thirty days, with their share of the entries."""
    said = _entries_by_day(space, _recent(space, space.journal.scan()))
    recent = [entry for entries in said.values() for entry in entries]
    return list(_frequent(scored(space, recent, space.clock()))) if recent else []


# -- days


def _recent(space: OpenSpace, files: Iterable[str]) -> dict[date, tuple[str, ...]]:
    today = space.journal.today(space.clock())
    first = today - timedelta(days=IMPORTANT_DAYS)
    return {day: paths for day, paths in files_by_day(files).items() if first <= day <= today}


def _entries_by_day(space: OpenSpace, days: Mapping[date, Sequence[str]]) -> dict[date, list[Entry]]:
    return {day: _current_entries(space, paths) for day, paths in days.items()}


def _current_entries(space: OpenSpace, paths: Sequence[str]) -> list[Entry]:
    with space.store.read() as reader:
        named = named_entries(space, reader, paths)
    return [
        replace(entry, id=memory_id, text=entry.held, amendments=())
        for entry, _, memory_id in named
        if entry.held is not None and entry.held.strip()
    ]


def _days(
    days: Mapping[date, Sequence[str]], said: Mapping[date, Sequence[Entry]], judged: Sequence[ScoredEntry]
) -> Iterator[Day]:
    place = 0
    for day, paths in days.items():
        items = judged[place : place + len(said[day])]
        place += len(items)
        yield Day(day, paths[-1], tuple(items))


# -- what is known of a person


def _person_lines(space: OpenSpace, facts: Sequence[PersonalFact], language: str) -> Iterator[PersonLine]:
    """Who the person is, each fact with its day and source, and their language."""
    status = {fact.about: fact for fact in facts if fact.slot == "status"}
    news = {fact.about: fact for fact in facts if fact.slot == "news"}
    for slot in PERSON_ORDER:
        if slot == "language" and facts:
            yield PersonLine(slot, SourcedLine(phrases(language)["language_name"]))
        for fact in facts:
            if fact.slot == slot:
                latest = status.get(fact.id) if slot == "goal" else None
                if slot in _OF_PEOPLE and (of_them := news.get(fact.text.rpartition(": ")[2])) is not None:
                    latest = of_them if of_them.id != fact.id else None
                yield _person_line(space, fact, None if latest is None else _status_line(space, latest, language))


def _person_line(space: OpenSpace, fact: PersonalFact, latest: PersonLine | None = None) -> PersonLine:
    text = _EMPLOYER.sub("", fact.text) if fact.slot == "work" else fact.text
    line = SourcedLine(_quoted(text), (fact.id,))
    return PersonLine(fact.slot, line, fact.day, _day_file(space, fact.day), latest)


def _status_line(space: OpenSpace, fact: PersonalFact, language: str) -> PersonLine:
    slot = "reached" if fact.slot == "status" and is_reached(fact.text, language) else "latest"
    return replace(_person_line(space, fact), slot=slot)


def _quoted(text: str) -> str:
    plain = without_opening(text)
    return whole_sentences(plain, LONGEST_ENTRY) or one_line(plain, 4 * LONGEST_ENTRY)


def _day_file(space: OpenSpace, day: date) -> str:
    path = day_path(day)
    return path if space.journal.exists(path) else archived_path(path)


def _ongoing(space: OpenSpace, judged: Sequence[ScoredEntry]) -> Iterator[PersonLine]:
    """What happened lately and is still due: events that change a life, and promises that nothing later fulfils."""
    said: list[tuple[Entry, SpokenStatement, str]] = []
    for item in judged:
        if item.entry.id and stands_alone(item.entry):
            language = language_at_start(item.entry.text) or "en"
            said += [(item.entry, statement, language) for statement in statements_of(item.entry.text, language)]
    results = [
        (entry.at, sentence_terms(statement.sentence, language))
        for entry, statement, language in said
        if statement.kind == "result"
    ]
    said.sort(key=lambda item: item[0].at)
    dated = [
        DatedSentence(statement.sentence, language, space.journal.today(entry.at))
        if statement.is_real and statement.is_own
        else _NOTHING
        for entry, statement, language in said
    ]
    gone = outdated(dated, space.journal.today(space.clock()))
    current = [item for place, item in enumerate(said) if place not in gone]
    for entry, statement, language in reversed(current):
        terms = sentence_terms(statement.sentence, language)
        is_done = statement.kind == "promise" and any(at > entry.at and terms & done for at, done in results)
        if (statement.is_milestone or statement.kind == "promise") and not is_done:
            text = whole_sentences(in_context(statement.sentence, entry.text, language), LONGEST_ENTRY)
            line = SourcedLine(text, (entry.id or "",))
            day = space.journal.today(entry.at)
            if text:
                yield PersonLine("ongoing", line, day, _day_file(space, day))


def _preferences(space: OpenSpace) -> tuple[Bullet, ...]:
    try:
        bullets = parse_bullets(space.journal.read(PREFERENCES))
    except WaypostError:
        return ()
    return tuple(bullet for bullet in bullets if bullet.heading not in in_all_languages("also_important"))


def _preference_lines(bullets: Sequence[Bullet]) -> Iterator[SourcedLine]:
    """What people wrote first, then the newest; in the order of the file."""
    order = sorted(range(len(bullets)), key=lambda place: (bullets[place].id is not None, -place))
    for place in sorted(order[:MOST_PREFERENCES]):
        bullet = bullets[place]
        language = language_at_start(bullet.text) or "en"
        needs = needs_in(bullet.text, language) if bullet.id else []  # of what somebody said, what matters here
        yield SourcedLine(_quoted(" ".join(needs) or bullet.text), (bullet.id,) if bullet.id else ())


def _lasting_preferences(facts: Sequence[PersonalFact], promoted_marks: Container[str]) -> Iterator[SourcedLine]:
    """What people like and dislike, however long ago they said it, without what they removed from their preferences."""
    for fact in facts:
        if fact.slot == "preference" and mark_of(fact.id) not in promoted_marks:
            yield SourcedLine(_quoted(fact.text), (fact.id,))


def _recent_statements(
    judged: Sequence[ScoredEntry], promoted_marks: Container[str], now: datetime
) -> Iterator[SourcedLine]:
    """What people said of themselves recently that is not among their preferences, newest first."""
    said: dict[str, SourcedLine] = {}
    for item in sorted(judged, key=lambda item: item.entry.at, reverse=True):
        entry, score = item.entry, item.score
        if (
            score.relevance_points == PERSONAL
            and score.score >= IMPORTANT
            and mark_of(entry.id or "") not in promoted_marks
            and stands_alone(entry)
            and _is_about_the_person(entry.text)
        ):
            line = SourcedLine(_quoted(entry.text), (source_of(entry),))
            if stays(entry, score.score, now) and len(said) < MOST_STATED:
                said.setdefault(line.text.casefold(), line)
    return iter(said.values())


def _is_about_the_person(text: str) -> bool:
    """Whether a text says what somebody is, likes or wants, and not only what happened or what others said."""
    language = language_at_start(text) or "en"
    if needs_in(text, language):
        return True
    statement = main_statement(text, language)
    is_taste = statement is not None and statement.kind == "preference" and not is_own_preference(statement, language)
    return not is_taste and not is_event(text, language)


def _is_above(line: SourcedLine, person: Sequence[PersonLine]) -> bool:
    """Whether it is already listed with the person. That a sentence names somebody does not list all of it."""
    listed = {entry_id for fact in person if fact.slot != "people" for entry_id in fact.line.ids}
    return bool(line.ids) and listed.issuperset(line.ids)


def _is_over(line: SourcedLine, days: Mapping[str, date], today: date) -> bool:
    """Whether it was a reminder or an appointment for a day that has passed."""
    day = days.get(line.ids[0]) if line.ids else None
    return day is not None and is_past(DatedSentence(line.text, language_at_start(line.text) or "en", day), today)


def _milestones(space: OpenSpace, facts: Sequence[PersonalFact]) -> Iterator[PersonLine]:
    """What happened and matters for good, newest first. Births, weddings and the like are left out last."""
    milestones = [fact for fact in facts if fact.slot == "milestone"]
    milestones.sort(key=lambda fact: (is_turning_point(fact.text, language_at_start(fact.text) or "en"), fact.day))
    for fact in sorted(milestones[-MOST_MILESTONES:], key=lambda fact: fact.day, reverse=True):
        yield _person_line(space, fact)


def _dated_line(space: OpenSpace, slot: str, line: SourcedLine, days: Mapping[str, date]) -> PersonLine:
    day = days.get(line.ids[0]) if line.ids else None
    return PersonLine(slot, line, day, _day_file(space, day) if day else "")


def _older_preferences(space: OpenSpace, bullets: Sequence[Bullet], recent: Iterable[Sequence[Entry]]) -> list[Entry]:
    """Entries that became preferences longer ago: they show since when a topic exists."""
    recent_ids = {entry.id for entries in recent for entry in entries}
    entries = []
    with space.store.read() as reader:
        for bullet in bullets:
            versions = reader.memories.versions(bullet.id) if bullet.id and bullet.id not in recent_ids else []
            if versions and versions[0].time is not None:
                at = space.journal.local(versions[0].time)
                entries.append(Entry(bullet.text, at, versions[-1].kind, versions[-1].speaker, bullet.id))
    return entries


def _projects(space: OpenSpace, judged: Sequence[ScoredEntry], today: date) -> Iterator[RecurringTopic]:
    """What somebody works on and came back to lately, with the latest that was decided or done, newest first."""
    topics = []
    for group in _topics(judged).values():
        days = {item.entry.at.date() for item in group}
        worth = max(item.score.score for item in group)
        steps = sorted(filter(None, (_step(space, item) for item in group)), key=lambda line: line.day or date.min)
        is_recent = today - max(days) <= PROJECT_PAUSE
        if len(group) >= PROJECT_MENTIONS and len(days) >= PROJECT_DAYS and steps and worth >= IMPORTANT and is_recent:
            line = topic_with_sources(group[0].label, [item.entry for item in group])
            topics.append(RecurringTopic(line.text, min(days), max(days), line.ids, steps[-1]))
    return iter(sorted(topics, key=lambda project: (-project.last.toordinal(), project.since, project.label)))


def _step(space: OpenSpace, item: ScoredEntry) -> PersonLine | None:
    """What an entry says was planned, decided or done. What happens to people is no project."""
    entry = item.entry
    if not stands_alone(entry) or item.score.relevance_points < PROJECT_RELEVANCE:
        return None
    statement = main_statement(entry.text, language_at_start(entry.text) or "en")
    if statement is None or statement.kind not in _STEPS or statement.area in ("family", "health"):
        return None
    day = space.journal.today(entry.at)
    line = SourcedLine(one_line(statement.sentence, LONGEST_ENTRY), (source_of(entry),))
    return PersonLine("project", line, day, _day_file(space, day))


def _topics(judged: Sequence[ScoredEntry]) -> dict[int, list[ScoredEntry]]:
    groups: dict[int, list[ScoredEntry]] = {}
    for item in judged:
        if item.topic and item.label:
            groups.setdefault(item.topic, []).append(item)
    return groups


# -- summaries


def _periods(space: OpenSpace, files: Mapping[str, FileStamp]) -> Iterator[Period]:
    read = {"weekly": week_of, "monthly": month_of, "yearly": year_of}
    for path in files:
        span = read[stage_of(path)](path) if stage_of(path) in read else None
        if span is not None:
            try:
                text = space.journal.read(path)
            except WaypostError:  # removed meanwhile, or damaged
                continue
            yield Period(span, path, tuple(summary_lines(text)))


def summary_lines(text: str) -> Iterator[SourcedLine]:
    """What a summary states: statements, or topics if it has no statements."""
    frame = split_frame(text)
    statements: list[str] = []
    topics: list[str] = []
    heading = ""
    for line in (frame.part or text).split("\n"):
        heading = line[4:].strip() if line.startswith("### ") else heading
        if line.lstrip().startswith("- ") and not _GROUP.match(without_sources(line.rstrip("\r"))):
            (topics if heading in topic_headings() else statements).append(line.strip())
    plain = {line: _HINTS.sub(")", without_markdown(without_sources(line))) for line in statements or topics}
    languages = Counter(language_at_start(text) for text in plain.values())
    main = languages.most_common(1)[0][0] if languages else None
    best = sorted(plain, key=lambda line: summary_worth(plain[line], main or "en"), reverse=True)
    chosen = best[:MOST_LINES_OF_A_SUMMARY]
    chosen += _corrections(plain, chosen, main or "en")
    for line in sorted(chosen, key=lambda line: _day_in(plain[line])):
        if text_line := whole_sentences(plain[line], LONGEST_ENTRY):
            yield SourcedLine(text_line, sources_of(line))


def _corrections(plain: Mapping[str, str], chosen: Sequence[str], main: str) -> list[str]:
    """The other lines that correct a chosen one of an earlier day: they share a rare word with it."""
    corrections = []
    for line in plain:
        text = plain[line]
        if line not in chosen and any(corrects(part.written) for part in sentences_of(text, main)):
            terms = sentence_terms(text, main)
            earlier = [plain[other] for other in chosen if _day_in(plain[other]) < _day_in(text)]
            corrections += [line] if any(terms & sentence_terms(other, main) for other in earlier) else []
    return corrections[:MOST_CORRECTIONS]


def summary_worth(text: str, main_language: str) -> tuple[bool, ...]:
    """How much a line says about its time to a reader of the page, to compare lines."""
    language = language_at_start(text) or main_language
    statement = main_statement(text, language)
    is_told = statement is not None and statement.is_real and statement.is_own
    is_short = language == main_language or len(text) < _SURE_LANGUAGE
    return (
        is_told and is_short,
        is_turning_point(text, language),
        is_milestone(text, language),
        is_told and JOY.search(text) is not None,
        statement is not None and statement.kind in _STEPS,
        statement is not None and statement.kind != "remark" and statement.area is not None,
        statement is not None and statement.kind != "remark",
    )


def _day_in(line: str) -> str:
    day = _DAY.search(line)
    return day[0] if day else ""


# -- numbers


def _frequent(judged: Sequence[ScoredEntry]) -> Iterator[tuple[SourcedLine, float]]:
    groups = [group for group in _topics(judged).values() if max(item.score.score for item in group) >= MODERATE]
    groups.sort(key=lambda group: (-len(group), group[0].label))
    for group in groups[:MOST_FREQUENT]:
        topic_line = topic_with_sources(group[0].label, [item.entry for item in group], LONGEST_TOPIC)
        yield topic_line, len(group) / len(judged)


def _sizes(files: Mapping[str, FileStamp]) -> Iterator[tuple[str, int, int]]:
    """Sizes of each stage and of all, without the page itself."""
    counted_files = {path: stamp.size for path, stamp in files.items() if path not in (INDEX, DNA)}
    for stage in (*STAGES, "important", ARCHIVE):
        inside = [size for path, size in counted_files.items() if path.startswith(f"{stage}/")]
        if inside:
            yield stage, sum(inside), len(inside)
    if counted_files:
        yield "total", sum(counted_files.values()), len(counted_files)


def _last_cleanup_state(space: OpenSpace, judged: Sequence[ScoredEntry]) -> CondenseState:
    """The last maintenance. Passing facts that left the page in the day before it count as removed."""
    last, local = last_cleanup(space), space.journal.local
    following = next_cleanup(space, space.clock())
    if last is None:
        return CondenseState(None, following)
    gone = [item for item in judged if item.score.score < MODERATE and PASSING < last.at - item.entry.at <= 2 * PASSING]
    return CondenseState(local(last.at), following, len(gone), len(last.archived), len(last.created))
