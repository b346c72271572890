"""What a sentence tells: events, decisions, goals, facts and more, in three languages."""

import time

import pytest

from waypost.journal.importance.word_lists import LANGUAGES
from waypost.journal.statements.matters import is_milestone
from waypost.journal.statements.recognise import main_statement, statements_of


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        ("Gestern waren wir im Zoo und haben Elefanten gesehen.", "de", "event"),
        ("Im Team haben wir uns für Kotlin entschieden.", "de", "decision"),
        ("Ich will im September einen Halbmarathon laufen.", "de", "goal"),
        ("Ich trinke keinen Kaffee mehr.", "de", "preference"),
        ("Meine Schwester Lena studiert in Leipzig.", "de", "fact"),
        ("Ich habe Tom versprochen, ihm zu helfen.", "de", "promise"),
        ("Die Steuererklärung ist abgegeben.", "de", "result"),
        ("Heute zehn Seiten gelernt.", "de", "progress"),
        ("Bin heute ziemlich müde.", "de", "remark"),
        ("We walked along the river to the old mill.", "en", "event"),
        ("We agreed to drop support for Python 3.9.", "en", "decision"),
        ("I want to finish the novel before winter.", "en", "goal"),
        ("I can't stand coriander.", "en", "preference"),
        ("My brother Sam lives in Toronto.", "en", "fact"),
        ("I promised Ella to come on Friday.", "en", "promise"),
        ("The leak is fixed.", "en", "result"),
        ("Sent out six applications.", "en", "progress"),
        ("Feeling low, hopefully tomorrow is better.", "en", "remark"),
        ("В воскресенье обедали у соседей.", "ru", "event"),
        ("Решили использовать PostgreSQL.", "ru", "decision"),
        ("Хочу до декабря дописать книгу.", "ru", "goal"),
        ("Терпеть не могу кинзу.", "ru", "preference"),
        ("Мой брат Илья живёт в Омске.", "ru", "fact"),
        ("Обещал дочке сходить в цирк.", "ru", "promise"),
        ("Починил утечку, всё готово.", "ru", "result"),
        ("Начали учить новую тему.", "ru", "progress"),
        ("Что-то я сегодня устал.", "ru", None),
        ("Устал сегодня, надеюсь выспаться.", "ru", "remark"),
    ],
)
def test_each_kind_is_recognised_in_each_language(text: str, language: str, kind: str | None) -> None:
    statement = main_statement(text, language)
    assert (statement.kind if statement else None) == kind


@pytest.mark.parametrize(
    ("text", "language", "area"),
    [
        ("Ich habe heute geheiratet!", "de", "family"),
        ("Dr. Vogel sagt, es ist das Läuferknie.", "de", "health"),
        ("Halbmarathon geschafft: 1:57:32!", "de", "personal"),
        ("Wir haben den Mietvertrag unterschrieben.", "de", "work"),
        ("I got promoted to senior engineer today!", "en", "work"),
        ("Dad passed away on Sunday.", "en", "family"),
        ("We bought a house in Leeds.", "en", "money"),
        ("Сегодня у нас родилась дочь!", "ru", "family"),
        ("Меня повысили до начальника отдела!", "ru", "work"),
        ("Мы переехали в Ереван!", "ru", "travel"),
    ],
)
def test_events_that_change_a_life_are_milestones(text: str, language: str, area: str) -> None:
    statement = main_statement(text, language)
    assert statement is not None and statement.is_milestone
    assert statement.area == area


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ich würde gern heiraten.", "de"),
        ("In dem Film hat die Königin geheiratet.", "de"),
        ("In the movie the king died.", "en"),
        ("If I got promoted, I would move.", "en"),
        ("В фильме король умер.", "ru"),
        ("We moved the repo to another server last night.", "en"),
        ("Вчера сервер переехал в другой дата-центр.", "ru"),
    ],
)
def test_what_only_sounds_like_a_milestone_is_none(text: str, language: str) -> None:
    statement = main_statement(text, language)
    assert statement is None or not statement.is_milestone


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Was sind 48 Prozent von 6562?", "de"),
        ("Danke dir!", "de"),
        ("Erzähl mir einen Witz.", "de"),
        ("Alles klar, super.", "de"),
        ("What's the capital of Mongolia?", "en"),
        ("ok cool", "en"),
        ("Thanks a lot, that helps!", "en"),
        ("Explain the difference between UI and UX.", "en"),
        ("Спасибо, понятно.", "ru"),
        ("Какая завтра погода?", "ru"),
        ("Расскажи анекдот.", "ru"),
    ],
)
def test_questions_commands_and_small_talk_tell_nothing(text: str, language: str) -> None:
    assert statements_of(text, language) == ()


def test_a_question_beside_a_statement_is_left_out() -> None:
    (statement,) = statements_of("Was hilft gegen Übelkeit? Miriam geht es gar nicht gut.", "de")
    assert statement.sentence == "Miriam geht es gar nicht gut."


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wenn ich im Lotto gewänne, würde ich sofort kündigen.", "de"),
        ("Tante Ilse behauptet, ich hätte ihre Uhr verkauft. So ein Quatsch!", "de"),
        ("Die Firma ist angeblich pleite, stimmt aber nicht.", "de"),
        ("If we won the lottery we'd buy a house in Cork.", "en"),
        ("I quit my job. Just kidding!", "en"),
        ("Can you polish this: 'I resign today'? It's for a play.", "en"),
        ("Если бы дали отпуск, я бы переехал к морю.", "ru"),
        ("Шутка: меня уволили!", "ru"),
        ("Ich ziehe im Mai nach München um. Doch nicht, bleibe in Berlin.", "de"),
        ("Ich kündige! Nein, Spaß.", "de"),
        ("Wir haben das Haus gekauft! Ach nee, Quatsch, noch nicht.", "de"),
        ("I'm allergic to nuts. No wait, that's my brother.", "en"),
        ("I start at Siemens in May. Scratch that, it fell through.", "en"),
        ("We moved to Leeds, no, actually it's Bradford.", "en"),
        ("У меня аллергия на орехи. Ой, нет, это у брата.", "ru"),
        ("Я переезжаю в мае в Казань. Нет, всё-таки остаюсь в Москве.", "ru"),
        ("В июне увольняюсь. Хотя нет, передумал.", "ru"),
    ],
)
def test_what_is_imagined_denied_or_joked_is_only_a_remark(text: str, language: str) -> None:
    assert {statement.kind for statement in statements_of(text, language)} <= {"remark"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ich habe gekündigt. Nein, ich bereue es nicht.", "de"),
        ("Wir waren im Zoo, das hat Spaß gemacht.", "de"),
        ("I quit my job. No, I don't regret it.", "en"),
        ("We moved to Leeds. Actually it was easy.", "en"),
        ("I got the job! Wait till mum hears it.", "en"),
        ("Я уволился. Нет, не жалею.", "ru"),
    ],
)
def test_a_no_that_takes_nothing_back_denies_nothing(text: str, language: str) -> None:
    assert all(statement.is_real for statement in statements_of(text, language))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Mein Kollege Jan sagt, er hat sich getrennt.", "de"),
        ("My neighbour says she's pregnant.", "en"),
        ("Мой друг Паша говорит, что бросил жену.", "ru"),
    ],
)
def test_what_others_say_of_themselves_changes_no_life(text: str, language: str) -> None:
    (statement,) = statements_of(text, language)
    assert (statement.kind, statement.is_milestone) == ("event", False)


def test_news_of_the_family_does() -> None:
    statement = main_statement("Unsere Tochter hat mir gesagt, dass sie schwanger ist.", "de")
    assert statement is not None and statement.is_milestone


@pytest.mark.parametrize(
    ("text", "language"),
    [("Did my first dive today.", "en"), ("Hat geklappt, der Ofen läuft.", "de"), ("EINZUG GARTENHAUS 🎉", "de")],
)
def test_short_forms_are_statements(text: str, language: str) -> None:
    assert statements_of(text, language)


@pytest.mark.parametrize(
    "unit",
    [
        "ich habe ",
        "wenn ",
        "würde ",
        "if we ",
        "my friend ",
        "will ich ",
        "my wife ",
        "у меня ",
        "1:",
        "muss noch ",
        "we moved ",
    ],
)
def test_long_hostile_lines_are_read_in_time(unit: str) -> None:
    begun = time.process_time()
    for language in LANGUAGES:
        statements_of(unit * 20_000, language)
    assert time.process_time() - begun < 3


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("wieviel uhr is in la grad", "de"),
        ("whats the cheapest diesel between memphis and tulsa", "en"),
        ("скок калорий в капучино 300мл", "ru"),
    ],
)
def test_a_question_in_chat_spelling_states_nothing(text: str, language: str) -> None:
    assert statements_of(text, language) == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Suppose we sold the house next year, where would we go.", "en"),
        ("Even if I had quit my job, nothing would change.", "en"),
        ("If only we were married already.", "en"),
        ("Here's the email from them: I was diagnosed last week", "en"),
        ("Angenommen, wir verkaufen das Haus, dann ziehen wir nach Rom.", "de"),
        ("Selbst wenn ich schwanger wäre, würde ich fliegen.", "de"),
        ("Hätten wir geheiratet, wäre alles anders.", "de"),
        ("Предположим, меня уволили, что дальше.", "ru"),
        ("В моем романе героиня умерла в первой главе.", "ru"),
    ],
)
def test_what_is_supposed_or_written_in_a_story_did_not_happen(text: str, language: str) -> None:
    assert [statement for statement in statements_of(text, language) if statement.is_real] == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("My old tablet finally died on the train.", "en"),
        ("We nearly died of embarrassment at the party.", "en"),
        ("We moved to Kubernetes in the spring.", "en"),
        ("I'm definitely not divorced, people keep asking.", "en"),
        ('Then Mia shouts "I\'m engaged!" across the room.', "en"),
        ("My uncle keeps saying he will get divorced.", "en"),
        ("Unser alter Drucker ist heute früh gestorben.", "de"),
        ("Wir sind fast gestorben vor Lachen gestern.", "de"),
        ("Ich bin nicht verlobt, das ist ein Gerücht von Tom.", "de"),
        ("Und Jonas so: „ich bin verlobt“, alle klatschen.", "de"),
        ("Мой старый принтер умер вчера вечером.", "ru"),
        ("Мы чуть не умерли от смеха вчера.", "ru"),
        ("Я не беременна, это просто свитер такой.", "ru"),
        ("Маша кричит: «я беременна», и все хлопают.", "ru"),
    ],
)
def test_idioms_denials_and_quotes_change_no_life(text: str, language: str) -> None:
    assert not any(statement.is_milestone for statement in statements_of(text, language))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I still can't believe we got married yesterday.", "en"),
        ('I told him "I\'m pregnant" and he cried.', "en"),
        ("My phone rang and grandma had died.", "en"),
        ("Ich kann es nicht fassen, wir sind verlobt.", "de"),
        ("Am Telefon habe ich erfahren, dass Oma gestorben ist.", "de"),
        ("Не могу поверить, мы поженились вчера.", "ru"),
    ],
)
def test_a_milestone_beside_such_words_is_still_one(text: str, language: str) -> None:
    assert any(statement.is_milestone for statement in statements_of(text, language))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I put down the phone and cried.", "en"),
        ("It felt like I had put down a heavy box.", "en"),
        ("The book says that Lincoln died in a theatre.", "en"),
        ("I almost bought a house today, in The Sims.", "en"),
        ("I moved my appointment with the dentist.", "en"),
        ("I keep wondering whether I should have resigned.", "en"),
        ("He got better without an operation.", "en"),
        ("Die Wäsche blieb trocken.", "de"),
        ("Oma ist entlassen worden, es geht ihr besser.", "de"),
        ("Ich habe überlegt, ob ich kündige.", "de"),
        ("Einer schrieb, Napoleon sei in Paris gestorben.", "de"),
        ("Wir haben Stühle für die Hochzeit geliehen.", "de"),
        ("Das Knie heilt ohne Operation.", "de"),
        ("Подписали договор о мире, пишут в газете.", "ru"),
        ("Обошлось без операции.", "ru"),
        ("Кредит съедает всю зарплату.", "ru"),
    ],
)
def test_a_word_of_a_life_event_alone_is_none(text: str, language: str) -> None:
    assert not any(statement.is_milestone for statement in statements_of(text, language))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We had to put our dog to sleep.", "en"),
        ("I moved to Bergen last week.", "en"),
        ("The mortgage was approved.", "en"),
        ("As of today I'm head of the lab.", "en"),
        ("Ich bin seit zwei Jahren trocken.", "de"),
        ("Der Kredit ist genehmigt.", "de"),
        ("Закрыла кредит за квартиру!", "ru"),
    ],
)
def test_the_event_itself_is_one(text: str, language: str) -> None:
    assert any(statement.is_milestone for statement in statements_of(text, language))


@pytest.mark.parametrize(
    ("text", "language", "sentences"),
    [
        ("The beans are dead. All of them. I blame the slugs.", "en", 3),
        ("Finished! The whole fence is painted now.", "en", 2),
        ("Ich denke daran, das Studium zu wechseln. Nur ein Gedanke.", "de", 2),
        ("Er rief: »Das Boot sinkt.« Wir haben alle gelacht.", "de", 2),
        ("Der Schnitt war 2,7. Einer hatte eine Eins.", "de", 2),
        ("Сдала отчёт! Кажется, я молодец. Начальник доволен.", "ru", 3),
        ("Hello! We painted the fence. Thanks!", "en", 1),
        ("Guten Morgen! Wir waren am See.", "de", 1),
    ],
)
def test_the_short_sentences_of_a_text_stay_with_what_it_states(text: str, language: str, sentences: int) -> None:
    assert len(statements_of(text, language)) == sentences


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('My landlord writes: "We will repair the roof in May." How do I reply politely?', "en"),
        ("Mein Vermieter schreibt: »Wir reparieren das Dach im Mai.« Wie antworte ich höflich?", "de"),
        ("Хозяин пишет: «Мы починим крышу в мае.» Как ему ответить?", "ru"),
        ("We have shipped your order. Как ответить?", "ru"),
    ],
)
def test_a_text_that_somebody_asks_about_states_nothing(text: str, language: str) -> None:
    assert statements_of(text, language) == ()


def test_what_is_only_beside_a_life_event_is_still_stated() -> None:
    (statement,) = statements_of("Mit OP sind die Aussichten aber richtig gut.", "de")
    assert (statement.kind, statement.is_milestone) == ("event", False)


def test_a_short_russian_text_is_read_as_russian() -> None:
    statement = main_statement("Тимур сделал предложение на концерте, я сказала ДА", "other")
    assert statement is not None and statement.is_milestone


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("If I won a million, I'd buy a lighthouse. But I never play.", "en"),
        ("Wenn ich eine Million gewinnen würde, würde ich reisen. Spielen tue ich aber nie.", "de"),
        ("Если бы я выиграл миллион, я бы уехал. Но я не играю.", "ru"),
    ],
)
def test_a_remark_on_what_is_imagined_is_no_event(text: str, language: str) -> None:
    assert {statement.kind for statement in statements_of(text, language)} <= {"remark"}


def test_what_somebody_writes_is_no_question() -> None:
    assert len(statements_of("Агент отказала. Пишет, что мой стиль слишком мрачный для них.", "ru")) == 2


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Our first patient was a parrot, can you believe it?", "en"),
        ("I slept until noon, you know?", "en"),
        ("We got the flat in Leith, right?", "en"),
        ("Der erste Patient war ein Papagei, stell dir vor?", "de"),
        ("Ich habe bis mittags geschlafen, kannst du dir das vorstellen?", "de"),
        ("Wir haben die Wohnung in Kiel bekommen, oder?", "de"),
        ("Первым пациентом был попугай, представляешь?", "ru"),
        ("Мы получили ключи от квартиры, правда?", "ru"),
    ],
)
def test_a_tag_at_the_end_makes_no_question(text: str, language: str) -> None:
    statements = statements_of(text, language)
    assert [statement.sentence for statement in statements] == [text]
    assert statements[0].kind != "remark"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The shop opens at nine, right?", "en"),
        ("You can write Python, right?", "en"),
        ("How do I fix it, do you know?", "en"),
        ("Can you believe it?", "en"),
        ("Das Geschäft macht um neun auf, oder?", "de"),
        ("Wie geht das, weißt du?", "de"),
        ("Магазин открывается в девять, да?", "ru"),
        ("Сколько будет два плюс два, а?", "ru"),
    ],
)
def test_a_tag_behind_a_question_states_nothing(text: str, language: str) -> None:
    assert statements_of(text, language) == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We opened!", "en"),
        ("Wir haben eröffnet!", "de"),
        ("Мы открылись!", "ru"),
        ("Клиника открылась!", "ru"),
    ],
)
def test_few_words_announce_an_opening(text: str, language: str) -> None:
    statement = main_statement(text, language)
    assert statement is not None
    assert statement.kind == "event"
    assert statement.is_milestone
    assert main_statement("We opened the window.", "en") != statement


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Twelve villages, one mobile library. I said yes.", "en"),
        ("The van broke, so we've moved this month's meeting to 4 May.", "en"),
        ("He's far too busy with his divorce to call.", "en"),
        ("She refuses to hear the words care home.", "en"),
        ("The hens moved in this morning.", "en"),
        ("I haven't quit, in case you wonder.", "en"),
        ("Heute sind die Hühner eingezogen.", "de"),
        ("Nicht gekündigt habe ich übrigens.", "de"),
        ("Sie hat sich gestoßen, aber nichts gebrochen.", "de"),
        ("Er hat wegen seiner Scheidung keine Zeit.", "de"),
        ("Комментарий удалили, автор извинился.", "ru"),
        ("Он занят своим разводом.", "ru"),
        ("Переехал наш сервер.", "ru"),
        ("Я не уволилась, если что.", "ru"),
    ],
)
def test_single_words_make_no_milestone(text: str, language: str) -> None:
    assert not any(statement.is_milestone for statement in statements_of(text, language))
    assert not is_milestone(text, language)


@pytest.mark.parametrize(
    ("text", "language", "area"),
    [
        ("She proposed on the pier and I said yes!", "en", "family"),
        ("We've moved to Leeds.", "en", "travel"),
        ("I didn't get the head of department job.", "en", "work"),
        ("Our new booking system went live on Monday.", "en", "work"),
        ("My sister had a baby last night.", "en", "family"),
        ("The boat is finished!", "en", "personal"),
        ("Hannah has been made partner.", "en", "work"),
        ("Ich habe die Stelle leider nicht bekommen.", "de", "work"),
        ("Die Umstellung hat geklappt!", "de", "work"),
        ("Meine Schwester hat ein Mädchen bekommen.", "de", "family"),
        ("Das Baumhaus steht!", "de", "personal"),
        ("Mein Mann ist Partner in der Kanzlei geworden.", "de", "work"),
        ("Меня не взяли на эту должность.", "ru", "work"),
        ("Запустили нашу новую систему!", "ru", "work"),
        ("Достроили дачу!", "ru", "personal"),
        ("Ира стала партнёром в фирме.", "ru", "work"),
        ("Папе удалили желчный пузырь.", "ru", "health"),
    ],
)
def test_what_changes_a_life_is_a_milestone(text: str, language: str, area: str) -> None:
    statement = main_statement(text, language)
    assert statement is not None
    assert statement.is_milestone
    assert statement.area == area


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I'm only wondering, we haven't decided anything.", "en"),
        ("Wir haben noch nichts entschieden.", "de"),
        ("Мы пока не решили.", "ru"),
        ("Алсу больше не боится кошек.", "ru"),
    ],
)
def test_what_is_undecided_or_only_true_is_no_decision(text: str, language: str) -> None:
    assert not any(statement.kind == "decision" for statement in statements_of(text, language))
