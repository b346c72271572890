"""Importance of many turns together: topics, how often people brought them up, and answers that follow questions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from waypost.journal.importance.score import TopicMention, judge, make_score
from waypost.journal.importance.utterance import QuestionKind, UtteranceReading, question_kind, read_utterance
from waypost.journal.importance.word_lists import importance_words
from waypost.journal.roles import Role
from waypost.journal.statements.recognise import main_statement
from waypost.journal.topics.groups import TopicGroups
from waypost.journal.topics.similarity import Subject, topic_terms
from waypost.model.journal import Score

FOLLOW_UP_WORDS = 6  # a turn this short, without its own topic, continues the topic before it


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """Something said or noted, as far as its importance is concerned."""

    ident: str
    text: str
    at: datetime
    day: date  # local
    role: Role
    kind: str = "conversation"
    session: str | None = None
    language: str = "en"

    @property
    def conversation(self) -> str:
        return self.session or ""

    @property
    def question(self) -> QuestionKind:
        return question_kind(self.text, self.language)


@dataclass(frozen=True, slots=True)
class EntryWorth:
    score: Score
    topic: int = 0
    label: str = ""


def in_order(turns: Sequence[JudgedTurn]) -> list[JudgedTurn]:
    """Turns by time. At the same moment, their content decides, so that the order of arrival does not matter."""
    return sorted(turns, key=lambda turn: (turn.at, turn.ident, turn.text))


def subject_of(turn: JudgedTurn) -> Subject | None:
    """The subject of a person's text, or None if it names nothing. Questions about the day are grouped apart."""
    if turn.role != "person":
        return None
    group = int(turn.question.passing)
    subject = Subject(turn.text, turn.language, group, turn.day.toordinal(), turn.conversation)
    return subject if topic_terms(turn.text, turn.language) else None


class TopicMentions:
    """Turns in order, with their topics and how often people brought up each topic."""

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
        """The mentions of the turn's topic by people, or the turn itself if it has no topic."""
        return self._mentions.get(self.topic(turn)) or [_mention(turn)]


def judge_turns(
    turns: Sequence[JudgedTurn],
    wanted: Collection[str],
    topics: TopicMentions,
    at: datetime,
    readings: Mapping[str, UtteranceReading] | None = None,
) -> dict[str, EntryWorth]:
    """The importance at `at` of the wanted turns, by id. The other turns are their context.

    `turns` are in order. `readings` replace Waypost's own readings of people's text.
    """
    judged: dict[str, EntryWorth] = {}
    last_said: dict[tuple[str, date | None], JudgedTurn] = {}
    for turn in turns:
        thread = (turn.conversation, None if turn.session else turn.day)
        if turn.role == "person":
            last_said[thread] = turn
        if turn.ident not in wanted:
            continue
        question = last_said.get(thread)
        if question is not None and question.ident not in judged:
            reading = (readings or {}).get(question.ident)
            reading = reading or read_utterance(question.text, question.language, question.kind)
            score = judge(reading, topics.mentions(question), at)
            judged[question.ident] = EntryWorth(score, topics.topic(question), topics.label(question))
        if turn is not question:
            judged[turn.ident] = _answer_worth(judged[question.ident] if question else None)
    return judged


def _answer_worth(question: EntryWorth | None) -> EntryWorth:
    """An answer or tool output is as important as the text that it answers."""
    if question is None:
        return EntryWorth(make_score(0, 0, 0, 0, ["Answers nothing that a person said (0)."]))
    return replace(question, score=replace(question.score, reasoning=f"As what it answers: {question.score.reasoning}"))


def _mention(turn: JudgedTurn) -> TopicMention:
    if turn.question.asks:  # "How far am I …?", asked again and again
        is_own = importance_words(turn.language)["first"].search(turn.text.lower()) is not None
        matters = is_own and not turn.question.passing
    else:
        matters = main_statement(turn.text, turn.language) is not None
    return TopicMention(turn.at, turn.day, turn.conversation, turn.question.asks, matters)


def _with_follow_ups(turns: Sequence[JudgedTurn], topic_of: Mapping[str, int]) -> dict[str, int]:
    topics = dict(topic_of)
    previous: dict[tuple[str, date], int] = {}
    for turn in turns:
        if turn.role != "person" or not turn.session:
            continue
        thread = (turn.session, turn.day)
        if not topics.get(turn.ident) and len(turn.text.split()) <= FOLLOW_UP_WORDS and not turn.question.passing:
            topics[turn.ident] = previous.get(thread, 0)
        previous[thread] = topics.get(turn.ident, 0)
    return topics
