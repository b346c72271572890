"""Who is around a person, in three languages."""

import pytest

from waypost.journal.statements.people import often_mentioned, parted_from, people_in


@pytest.mark.parametrize(
    ("language", "text", "people"),
    [
        ("en", "Our neighbour Mrs Pell waters the plants.", ["Neighbour: Mrs Pell"]),
        ("en", "My neighbour Mr Finch sold his car.", ["Neighbour: Mr Finch"]),
        ("en", "My cousin Ben is visiting.", ["Cousin: Ben"]),
        ("en", "My mother-in-law Doris called.", ["Mother-in-law: Doris"]),
        ("en", "My late husband Karl built this table.", ["Late husband: Karl"]),
        ("en", "Rosa is my sister, she lives in Leeds.", ["Sister: Rosa"]),
        ("en", "I met Rosa, my boss, at the market.", ["Boss: Rosa"]),
        ("en", "We adopted a dog! He's very shy and the kids named him Pickle.", ["Dog: Pickle"]),
        ("en", "Our daughter was born at noon! She's called Edda.", ["Daughter: Edda"]),
        ("en", "Hugo proposed to me last night!", ["Partner: Hugo"]),
        ("en", "My brother Karl and his wife Jana moved to Leeds.", ["Brother: Karl", "Wife of Karl: Jana"]),
        ("en", "Jana had the baby last night! A girl, called Nele.", ["Child of Jana: Nele"]),
        ("en", "Mum called from Lisbon this morning.", ["Mum: in Lisbon"]),
        ("de", "Meine Eltern wohnen in Kassel.", ["Eltern: in Kassel"]),
        ("ru", "Мама живёт в Туле и шьёт.", ["Мама: в Туле"]),
        ("ru", "Кажется, я влюбилась в Глеба.", ["Пара: Глеб"]),
        ("ru", "Зоя выходит замуж за Рината!", []),
        ("en", "My brother said hello to Anna.", []),
        ("en", "The sister of my colleague Karl is a vet.", []),
        ("en", "My colleague's dog Rex bit me.", []),
        ("en", "Today is my brother's birthday.", []),
        ("en", "In the book my uncle Silas is a pirate.", []),
        ("en", 'He wrote: "My wife Anna is ill."', []),
        ("de", "Mein Kumpel Anton hilft uns am Samstag.", ["Kumpel: Anton"]),
        ("de", "Unsere Nachbarin Frau Kunze hat Kuchen gebracht.", ["Nachbarin: Frau Kunze"]),
        ("de", "Meine Cousine Jule heiratet im Mai.", ["Cousine: Jule"]),
        ("de", "Jule ist meine Schwester.", ["Schwester: Jule"]),
        ("de", "Wir haben einen Hund geholt. Er heißt Bruno und bellt.", ["Hund: Bruno"]),
        ("de", "Unsere Tochter ist geboren! Sie heißt Edda.", ["Tochter: Edda"]),
        ("de", "Ich werde Paula einen Antrag machen.", ["Partner(in): Paula"]),
        ("de", "Der Bruder meiner Frau Paula ist Arzt.", []),
        ("de", "Im Roman heißt meine Tante Hilde.", []),
        ("ru", "Это сестра Антона, она врач.", []),
        ("ru", "Родила сестра Гузели.", []),
        ("ru", "Познакомилась с Глебом, он двоюродный брат Рината.", []),
        ("ru", "В книге дедушка Мазай спасает зайцев.", []),
        ("ru", "Мой двоюродный брат Денис приехал.", ["Двоюродный брат: Денис"]),
        ("ru", "Сестра Марина приехала.", ["Сестра: Марина"]),
        ("ru", "Брат Илья приехал.", ["Брат: Илья"]),
        ("ru", "Подруга Зоя помогала с коробками.", ["Подруга: Зоя"]),
        ("ru", "Кот Барсик съел ленту.", ["Кот: Барсик"]),
        ("ru", "Взяли щенка из приюта! Назвали его Бим.", ["Щенок: Бим"]),
        ("ru", "Олег сделал мне предложение!", ["Пара: Олег"]),
    ],
)
def test_people_are_named_with_what_they_are_to_the_person(language: str, text: str, people: list[str]) -> None:
    assert [person.line for person in people_in(text, language)] == people


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("en", "Hugo and I broke up.", "Hugo"),
        ("de", "Ich habe mich von Paul getrennt.", "Paul"),
        ("ru", "Мы с Антоном расстались.", "Антон"),
    ],
)
def test_the_end_of_a_love_names_with_whom(language: str, text: str, name: str) -> None:
    assert parted_from(text, language) == [name]


@pytest.mark.parametrize(
    ("language", "texts", "names"),
    [
        ("en", ["Lia thinks so too.", "Lia laughed.", "Dinner with Lia.", "In Cardiff.", "To Cardiff.", "Cardiff!"], ["Lia"]),
        ("en", ["She laughed.", "She said yes.", "She cried."], []),
        ("de", ["Paula meint, es geht.", "Paula und ich kochen.", "Mit Paula im Kino.", "Das Kind lacht."], ["Paula"]),
        ("ru", ["Олег смеётся.", "Олег сказал правду.", "Был с другом, и Олег тоже."], ["Олег"]),
    ],
)  # fmt: skip
def test_names_that_do_what_people_do_are_often_mentioned(language: str, texts: list[str], names: list[str]) -> None:
    said = [(text, language, str(number)) for number, text in enumerate(texts)]
    assert list(often_mentioned(said)) == names
