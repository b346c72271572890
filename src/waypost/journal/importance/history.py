"""Many turns judged together: topics, how often persons brought them up, and what answers take over from questions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from waypost.journal.importance.score import TopicMention, judge, scored_as
from waypost.journal.importance.utterance import QuestionKind, UtteranceReading, asking_of, read
from waypost.journal.roles import Role
from waypost.journal.topics.groups import TopicGroups
from waypost.journal.topics.similarity import Subject, telling_terms
from waypost.model.journal import Score

FOLLOW_UP_WORDS = 6  # a turn that short, without a topic of its own, is about what was said before it


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """Something said or noted, as far as its worth is concerned."""

    ident: str
    text: str
    at: datetime
    day: date  # where it was said
    role: Role
    kind: str = "conversation"
    session: str | None = None
    language: str = "en"

    @property
    def conversation(self) -> str:
        return self.session or ""

    @property
    def asking(self) -> QuestionKind:
        return asking_of(self.text, self.language)


@dataclass(frozen=True, slots=True)
class EntryWorth:
    score: Score
    topic: int = 0
    label: str = ""


def in_order(turns: Sequence[JudgedTurn]) -> list[JudgedTurn]:
    """By time; of the same moment by what they say, so that the order in which they came does not matter."""
    return sorted(turns, key=lambda turn: (turn.at, turn.ident, turn.text))


def subject_of(turn: JudgedTurn) -> Subject | None:
    """What is grouped: a person's words, if they name anything. Questions about the day are grouped among themselves."""
    if turn.role != "person":
        return None
    group = int(turn.asking.passing)
    subject = Subject(turn.text, turn.language, group, turn.day.toordinal(), turn.conversation)
    return subject if telling_terms(turn.text, turn.language) else None


class Topical:
    """Turns, in order, with their topics and how often persons brought each of them up."""

    def __init__(self, turns: Sequence[JudgedTurn], topic_of: Mapping[str, int], topics: TopicGroups) -> None:
        self._topics = topics
        self._topic_of = _with_follow_ups(turns, topic_of)
        self._mentions: dict[int, list[TopicMention]] = {}
        for turn in turns:
            number = self.topic(turn)
            if turn.role == "person" and number:
                self._mentions.setdefault(number, []).append(_mention(turn))

    def topic(self, turn: JudgedTurn) -> int:
        return self._topic_of.get(turn.ident, 0)

    def label(self, turn: JudgedTurn) -> str:
        return self._topics.label(self.topic(turn))

    def mentions(self, turn: JudgedTurn) -> list[TopicMention]:
        """Of the turn's topic, by persons; the turn itself where it has none."""
        return self._mentions.get(self.topic(turn)) or [_mention(turn)]


def judge_turns(
    turns: Sequence[JudgedTurn],
    wanted: Collection[str],
    topics: Topical,
    at: datetime,
    readings: Mapping[str, UtteranceReading] | None = None,
) -> dict[str, EntryWorth]:
    """The worth at `at` of the turns that are wanted, by their ids; the others are what was said beside them.

    `turns` are in order. `readings` are those that somebody else made of persons' words.
    """
    judged: dict[str, EntryWorth] = {}
    asked: dict[tuple[str, date | None], JudgedTurn] = {}
    for turn in turns:
        place = (turn.conversation, None if turn.session else turn.day)
        if turn.role == "person":
            asked[place] = turn
        if turn.ident not in wanted:
            continue
        said = asked.get(place)
        if said is not None and said.ident not in judged:
            reading = (readings or {}).get(said.ident) or read(said.text, said.language, said.kind)
            score = judge(reading, topics.mentions(said), at)
            judged[said.ident] = EntryWorth(score, topics.topic(said), topics.label(said))
        if turn is not said:
            judged[turn.ident] = _answer(judged[said.ident] if said else None)
    return judged


def _answer(question: EntryWorth | None) -> EntryWorth:
    """An answer or a tool's output is worth what the words are worth that it answers: it has no say of its own."""
    if question is None:
        return EntryWorth(scored_as(0, 0, 0, 0, ["Answers nothing that a person said (0)."]))
    return replace(question, score=replace(question.score, reasoning=f"As what it answers: {question.score.reasoning}"))


def _mention(turn: JudgedTurn) -> TopicMention:
    return TopicMention(turn.at, turn.day, turn.conversation, turn.asking.asks)


def _with_follow_ups(turns: Sequence[JudgedTurn], topic_of: Mapping[str, int]) -> dict[str, int]:
    known = dict(topic_of)
    before: dict[tuple[str, date], int] = {}
    for turn in turns:
        if turn.role != "person" or not turn.session:
            continue
        place = (turn.session, turn.day)
        if not known.get(turn.ident) and len(turn.text.split()) <= FOLLOW_UP_WORDS and not turn.asking.passing:
            known[turn.ident] = before.get(place, 0)
        before[place] = known.get(turn.ident, 0)
    return known
