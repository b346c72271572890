"""Masking as a caller sees it: marks, findings, line numbers and hostile texts."""

import base64
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.text.secrets.formats import table
from waypost.text.secrets.masking import is_secret_path, mask

HARMLESS = Path(__file__).parents[1] / "secrets_harmless.txt"
RNG = random.Random("keys")


def key_body(lines: int = 8) -> list[str]:
    return [base64.b64encode(RNG.randbytes(48)).decode() for _ in range(lines)]


def pem(kind: str, body: list[str]) -> str:
    return "\n".join([f"-----BEGIN {kind}-----", *body, f"-----END {kind}-----"])


def test_a_password_in_a_sentence_is_replaced_by_a_mark_and_named_with_its_line() -> None:
    result = mask("Hello.\nThe password is hunter2, do not tell.\n")
    assert result.text == "Hello.\nThe password is [secret: password], do not tell.\n"
    assert [(f.rule, f.line, f.start, f.end) for f in result.findings] == [("password", 2, 23, 30)]


def test_a_text_without_secrets_comes_back_as_it_is() -> None:
    text = "Nothing to hide here.\r\n\r\nReally.\n"
    assert mask(text).text is text
    assert mask(text).findings == ()


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("the password is hunter2", "hunter2"),
        ("The root password was changed to Tr0ub4dor&3, please note", "Tr0ub4dor&3"),
        ('The password is "sunflower".', "sunflower"),
        ("my wifi password: correct9horse", "correct9horse"),
        ("Password for the staging server is Blue42Whale!", "Blue42Whale!"),
        ("Please change password: kLp99!xx", "kLp99!xx"),
        ("Login: anna / Password: zX9-plum", "zX9-plum"),
        ("Das Passwort ist Hase77", "Hase77"),
        ("Das Kennwort lautet „Sonnenblume“.", "Sonnenblume"),
        ("Kennwort ist jetzt Kx9!mm", "Kx9!mm"),
        ("WLAN-Passwort: Sommer2019!", "Sommer2019!"),
        ("Passwort: Sonnenblume", "Sonnenblume"),
        ("Passwort für den Server lautet R3genbogen", "R3genbogen"),
        ("пароль: qwerty123", "qwerty123"),
        ("Пароль от базы — Zx81kk", "Zx81kk"),
        ("Пароль: ромашка", "ромашка"),
        ("пароль для вайфая: Кот2020", "Кот2020"),
        ("ПАРОЛЬ: Ab12Cd34", "Ab12Cd34"),
        ("пароль — «одуванчик»", "одуванчик"),
        ("DB_PASSWORD=s3cr3t!x", "s3cr3t!x"),
        ("export PGPASSWORD='pa$$w0rd(1)'", "pa$$w0rd(1)"),
        ("password = hunter2", "hunter2"),
        ('password: "Pa$$w0rd"', "Pa$$w0rd"),
        ('{"password": "hunter2", "user": "me"}', "hunter2"),
        ('{\\"password\\": \\"hunter2\\"}', "hunter2"),
        ("{&quot;password&quot;:&quot;hunter2&quot;}", "hunter2"),
        ("'password' => 'hunter2',", "hunter2"),
        (':password => "hunter2"', "hunter2"),
        ('password := "hunter2"', "hunter2"),
        ('password: str = "hunter2"', "hunter2"),
        ('private String dbPassword = "hunter2";', "hunter2"),
        ('connect(user="me", password="hunter2")', "hunter2"),
        ('config["password"] = "hunter2"', "hunter2"),
        ('setPassword("hunter2");', "hunter2"),
        ("define('DB_PASSWORD', 'x9!kkdS');", "x9!kkdS"),
        ('props.put("password", "hunter2");', "hunter2"),
        ('if (password == "hunter2") {', "hunter2"),
        ("<password>hunter2</password>", "hunter2"),
        ('<property name="password">hunter2</property>', "hunter2"),
        ('<add key="DbPassword" value="hunter2"/>', "hunter2"),
        ('<user name="bob" password="hunter2"/>', "hunter2"),
        ("- name: DB_PASSWORD\n  value: hunter22\n", "hunter22"),
        ("tool --password hunter2 --verbose", "hunter2"),
        ("tool --db-password=hunter2", "hunter2"),
        ("mysql -u root -phunter2 app", "hunter2"),
        ("sshpass -p 'hunter2' ssh host", "hunter2"),
        ("curl -u bob:hunter2 https://example.org", "hunter2"),
        ("ENV DB_PASS hunter2\nDB_PASS=hunter2", "DB_PASS=hunter2"),
        ("Server=db;User Id=app;Password=hunter2;Encrypt=true", "hunter2"),
        ("jdbc:mysql://db/app?user=me&password=hunter2&ssl=1", "hunter2"),
        ("postgres://app:hunter2@db.example.org:5432/app", "hunter2"),
        ("redis://:hunter2@cache:6379/0", "hunter2"),
        ("https://me:p%40ss-w0rd@example.org/repo.git", "p%40ss-w0rd"),
        ("mongodb+srv://app:zeb7ra@cluster.example.org/db", "zeb7ra"),
        ("machine example.org login me password hunter2", "hunter2"),
        ("machine example.org\n  login me\n  password hunter2\n", "hunter2"),
        ("db.example.org:5432:app:me:hunter2", "hunter2"),
        ("//registry.example.org/:_authToken=3f9a1c2e-77aa-4b1c-9d0e-5a6b7c8d9e0f", "3f9a1c2e"),
        ("Authorization: Basic " + base64.b64encode(b"me:hunter2").decode(), base64.b64encode(b"me:hu").decode()[:6]),
        ("Authorization: Bearer 9f8e7d6c5b4a39281706f5e4d3c2b1a0", "9f8e7d6c"),
        ("Authorization: token 9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c", "9f8e7d6c"),
        ("-H 'X-Api-Key: k8Jq2LmN4pQr6StU8vWx'", "k8Jq2LmN4pQr6StU8vWx"),
        ("AccountName=x;AccountKey=" + base64.b64encode(RNG.randbytes(64)).decode() + ";EndpointSuffix=y", "=="),
        (
            "client-key-data: " + base64.b64encode(pem("RSA PRIVATE KEY", key_body()).encode()).decode(),
            "LS0tLS1CRUdJTiBS",
        ),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzQ8KEY3x", "wJalrXUtnFEMI"),
        ('"auth": {"api-key": "c0ffee12c0ffee34c0ffee56deadbeef"}', "c0ffee12"),
        ("SECRET_KEY = 'f#x0-9(1k2=z@v8$q3!m7%b5^n4&c6*l_j+h)g~d2e1w0y9u8'", "f#x0-9("),
        ('{"kty":"EC","crv":"P-256","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}', "jpsQnnGQ"),
        ("Der API-Schlüssel lautet k8Jq2LmN4pQr6StU8vWx", "k8Jq2LmN"),
        ("Токен: k8Jq2LmN4pQr6StU8vWx", "k8Jq2LmN"),
        ("ключ API = k8Jq2LmN4pQr6StU8vWx", "k8Jq2LmN"),
        ("AK" + "IAQ3EGRIT7KLMN2P4Z wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzQ8KEY3xy", "wJalrXUtnFEMI"),
        ("_auth = " + base64.b64encode(b"me:hunter2").decode(), base64.b64encode(b"me:hu").decode()[:6]),
        (
            '{"auths":{"x":{"auth":"' + base64.b64encode(b"me:hunter2").decode() + '"}}}',
            base64.b64encode(b"me:hu").decode()[:6],
        ),
        ("https://x.example.org/c?sv=2020&sig=k8Jq2LmN4pQr6StU8vWxYz1aB3cD5eF7gH9iJ0kL2m4%3D&se=1", "k8Jq2LmN"),
        ("seed phrase: " + " ".join(["apple", "river", "stone", "cloud"] * 3), "apple river"),
        ("DB_PASSWORD=SIftRutOmelWagon", "SIftRutOmelWagon"),
        ("note: DB_PASSWORD=SIftRutOmelWagon is for staging", "SIftRutOmelWagon"),
        ("export PGPASSWORD=plumtree", "plumtree"),
        ("MYSQL_PASSWORD: plumtree", "plumtree"),
        ("password: hunterHunter", "hunterHunter"),
        ("password = SIftRutOmelWagon", "SIftRutOmelWagon"),
        ("db_password: plumtreegarden", "plumtreegarden"),
        ("password=correcthorsebatterystaple", "correcthorse"),
        ("the root password: SIftRutOmelWagon", "SIftRutOmelWagon"),
        ('password = "easternLongNeckTurtle"', "easternLongNeckTurtle"),
        ("The database password is SIftRutOmelWagon.", "SIftRutOmelWagon"),
        ("the wifi password is sunflower", "sunflower"),
        ("Passwort ist SommerWinter", "SommerWinter"),
        ("Das Passwort für den Server ist Regenbogen.", "Regenbogen"),
        ("Das Kennwort lautet sonnenblume", "sonnenblume"),
        ("пароль от базы: СолнцеЛуна", "СолнцеЛуна"),
        ("пароль это одуванчик", "одуванчик"),
        ("Пароль от сервера — ромашка.", "ромашка"),
        ("😀 İstanbul 😀 password: hunter2 😀", "hunter2"),
        ("password is Tr0ub4dor&3.", "&3"),
        ("the root password is now Winter2024!!", "!!"),
        ("(password is hunter2)", "hunter2"),
        ("password is **hunter2**", "hunter2"),
        ("the password's hunter2", "hunter2"),
        ("pw is hunter2.", "hunter2"),
        ("passcode is 493021.", "493021"),
        ("set the password to hunter2x.", "hunter2x"),
        ("password was changed from hunter2x to hunter3x", "hunter2x"),
        ("password was changed from hunter2x to hunter3x", "hunter3x"),
        ("use hunter2x as the password", "hunter2x"),
        ("log in with password hunter2x.", "hunter2x"),
        ("Zugangsdaten: admin / Zx81kk9", "Zx81kk9"),
        ("Kennwörter: Zx81kk9", "Zx81kk9"),
        ("Das Passwort wurde auf Zx81kk9 geändert", "Zx81kk9"),
        ("Passwort root: Zx81kk9", "Zx81kk9"),
        ("пароль сервера: Zx81kk", "Zx81kk"),
        ("паролем является Zx81kk9", "Zx81kk9"),
        ("с паролем Zx81kk9", "Zx81kk9"),
        ("Пароль администратора Zx81kk9!", "Zx81kk9!"),
        ("поменял пароль на Zx81kk9.", "Zx81kk9"),
        ("пароль изменён на Zx81kk9", "Zx81kk9"),
        ("пароль от сервера - одуванчик", "одуванчик"),
        ("парольная фраза: лиса42", "лиса42"),
        ("логин: admin, пароль: Zx81kk9", "Zx81kk9"),
        ("Токен Acme: k8jq2lmn4pqr6stu8vwx", "k8jq2lmn"),
        ("client_secret: c2=k8jq2lmn4pqr6stu8vwx", "c2=k8jq2lmn"),
    ],
)
def test_a_secret_is_masked_in_the_words_and_carriers_of_three_languages(text: str, secret: str) -> None:
    result = mask(text)
    assert secret in text
    assert secret not in result.text
    assert "[secret: " in result.text
    assert mask(result.text).findings == ()


MADE, LONG = "Kv7QasuNe8qFar", "a8f3kq92mzx7b1c4d6e0v5wl3p9r2t8u"


@pytest.mark.parametrize(
    "text",
    [
        f"password:\n  {MADE}", f'"password":\n"{MADE}"', f"**password:** {MADE}", f"password: **{MADE}**",
        f"password:\u00a0{MADE}", f"| password | {MADE} |", f"root pass: {MADE}", f"My password, {MADE}, must not leak",
        f"api key {LONG}", f"secret_key_base: {LONG}", f"password: |\n  {MADE}", f"p\u200bassword: {MADE}",
        f"passw\u043erd: {MADE}", f"ｐａｓｓｗｏｒｄ： {MADE}", f"password → {MADE}", f"password\t{MADE}", f"Passwort:\n{MADE}",
        f"пароль:\n{MADE}", f"Bitte {MADE} als Passwort verwenden", f"pass={MADE}", f"IDENTIFIED BY '{MADE}'",
        f"password%3D{MADE}", f"password db1 {MADE}", f"п\u0061роль: {MADE}", f"%22password%22%3A%22{MADE}%22",
        f"| user | password |\n|---|---|\n| eve | none |\n| bob | {MADE} |", f"password: {MADE[:6]}\u200b{MADE[6:]}",
    ],
)  # fmt: skip
def test_a_secret_is_masked_where_layout_or_look_alikes_part_it_from_its_name(text: str) -> None:
    result = mask(text)
    read = result.text.replace("\u200b", "")
    assert MADE not in read and LONG not in read and "[secret: " in read
    assert result.text.count("\n") == text.count("\n")
    assert mask(result.text).findings == ()


def test_what_is_folded_for_finding_stays_as_it_was_written() -> None:
    text = f"Ünï\u200bcode ｓｔａｙｓ.\np\u200bаssword:\u00a0{MADE} — «и так» %3D\n"
    assert mask(text).text == text.replace(MADE, "[secret: password]")
    assert mask(f"a=1&q=password%3D{MADE[:-1]}%21").text == "a=1&q=password%3D[secret: password]"


@pytest.mark.parametrize(
    "text",
    [
        "password:\n  type: string\n  minLength: 8", "password:\n  required\n", "password:\n    - min8\n    - max64\n",
        "password:\n\nThe user2 must log in", "password: |\n  must have 8 characters\n", "Forgot password:\nhttps://example.org/reset1",
        "| user | password |\n|---|---|\n| bob | hidden |\n| eve | see 1Password |", "token:\n  refresh_token_v2\n",
        "| name | password | token |\n|---|---|---|\n| type | string | int32 |", "password:\n# Step1\n", "password:\n\tv2.0.1\n",
        "Passwort:\n\nKapitel2 beginnt hier", "password:\nSHA256\n", "пароль:\n\nШаг2 описан ниже",
    ],
)  # fmt: skip
def test_what_follows_a_name_on_another_line_is_mostly_no_secret(text: str) -> None:
    assert mask(text).findings == ()


def test_nothing_is_masked_in_a_page_of_harmless_lines() -> None:
    text = HARMLESS.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert len(lines) >= 80
    assert [(f.rule, lines[f.line - 1]) for f in mask(text).findings] == []
    assert [line for line in lines if mask(line).findings] == []


def test_several_secrets_on_a_line_are_masked_each() -> None:
    text = 'a = {"password": "hunter2", "token": "k8Jq2LmN4pQr6StU8vWx"}; url = "ftp://me:zeb7ra@host/"'
    result = mask(text)
    assert result.text == (
        'a = {"password": "[secret: password]", "token": "[secret: token]"}; url = "ftp://me:[secret: url-password]@host/"'
    )
    assert [text[f.start : f.end] for f in result.findings] == ["hunter2", "k8Jq2LmN4pQr6StU8vWx", "zeb7ra"]


@pytest.mark.parametrize("kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_body_of_a_key_block_is_masked_and_the_lines_are_kept(kind: str, newline: str) -> None:
    body = key_body()
    text = newline.join(["before", pem(kind, body).replace("\n", newline), "after", "password=hunter2"])
    result = mask(text)
    assert not any(line in result.text for line in body)
    assert result.text.count(newline) == text.count(newline)
    assert result.text.splitlines()[-2] == "after"
    assert [(f.rule, f.line) for f in result.findings] == [("private-key", 3), ("password", len(text.splitlines()))]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda block: '{"private_key": "' + block.replace("\n", "\\n") + '\\n", "client_email": "x"}',
        lambda block: "key: |\n" + "\n".join("    " + line for line in block.split("\n")) + "\nnext: 1",
        lambda block: "\n".join(f'"{line}\\n" +' for line in block.split("\n")),
        lambda block: "\n".join("# " + line for line in block.split("\n")),
        lambda block: block.rpartition("\n")[0] + "\n\nand here the paste was cut off",
        lambda block: "KEY='" + block + "'",
    ],
)
def test_a_key_block_is_masked_however_it_is_carried(wrap: object) -> None:
    assert callable(wrap)
    body = key_body()
    text = wrap(pem("RSA PRIVATE KEY", body))
    result = mask(text)
    assert not any(line[:20] in result.text for line in body)
    assert result.text.count("\n") == text.count("\n")
    assert mask(result.text).findings == ()


def test_a_putty_key_is_masked() -> None:
    body = key_body(3)
    text = "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 3\n" + "\n".join(body) + "\nPrivate-MAC: 00\n"
    result = mask(text)
    assert not any(line in result.text for line in body)
    assert result.text.count("\n") == text.count("\n")


WORDS = [
    "password",
    "Passwort",
    "пароль",
    "token",
    "api_key",
    "secret",
    "=",
    ":",
    " ",
    "\n",
    "\r\n",
    '"',
    "'",
    "is",
    "ist",
]
WORDS += [
    "hunter2",
    "://",
    "@",
    "bob",
    "Bearer",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "\\n",
    "<",
    ">",
]
WORDS += [
    "k8Jq2LmN4pQr6StU8vWx",
    "gh" + "p_" + "aB3dE6gH9kL2mN5pQ8sT1vW4yZ7bC0dF3gH6",
    "x" * 30,
    "[secret: password]",
    "%3D",
    "-",
    "|",
    "**",
    "\u200b",
    "p\u0430ssword",
    "|---|",
    "Kv7QasuNe8qFar",
    "pass",
]


@pytest.mark.slow
@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=30).map("".join))
def test_masking_keeps_the_lines_and_finds_nothing_the_second_time(text: str) -> None:
    result = mask(text)
    assert len(result.text.splitlines()) == len(text.splitlines())
    assert result.text.count("\n") == text.count("\n")
    assert mask(result.text).findings == ()
    ends = [0, *(f.end for f in result.findings)]
    assert all(f.start >= end and f.end > f.start for f, end in zip(result.findings, ends, strict=False))
    assert all(f.line == text.count("\n", 0, f.start) + 1 for f in result.findings)


MEGABYTE = 1_000_000
HOSTILE = [
    "password=",
    "password: ",
    "the password for the password for ",
    "token token ",
    'password="',
    "://a:",
    "://",
    "eyJ",
    "eyJ-",
    "eyJa.",
    "gh" + "p_",
    "sk-" + "ant-",
    "AK" + "IA",
    "a",
    "a1",
    "0",
    "-",
    "--",
    "\\",
    "%3D",
    "x" * 2100 + "1 ",
    "eyJ-" * 520 + " ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n" + "A1" * 32 + "\n",
    "Authorization: Bearer ",
    "machine x login ",
    "name: password value: ",
    "пароль ",
    "Passwort für ",
    '"kty" "d": "',
    "curl -u ",
    " -p",
    "\n",
    "set the password to ",
    "use x1y2z3 as the password ",
    "password a b c d ",
    "password was changed from a to ",
    "с паролем ",
    "aws secret key ",
    "credentials: a / ",
    "login: a:",
    "pw ",
    "xo" + "x",
    "xo" + "xb-1",
    "sl" + ".",
    "fm" + "2_",
    "ops_" + "eyJ",
    "pscale_" + "tkn_",
    ".acc" + "_",
    "s" + ".",
    "=" * 30 + "a" * 21,
    "key: c2=",
    "password:\n",
    "password | ",
    "|password|\n|-|\n",
    "| password |\n|---|\n" + "| x |\n" * 90,
    "password, ",
    "my password, ",
    "pass=",
    "pa\u200bss",
    "p\u0430ssw\u043erd: ",
    "p\u0430",
    "password%3D",
    "%3D%22",
    "<td>password</td><td>",
    "password\t",
    "api key ",
    "**password:** ",
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_of_one_piece_is_read_in_linear_time(piece: str) -> None:
    small, large = (piece * (size // len(piece) + 1) for size in (MEGABYTE // 250, MEGABYTE // 25))
    mask(small)
    times = []
    for text in (small, large):
        began = time.process_time()
        mask(text)
        times.append(time.process_time() - began)
    # Ten times the text takes ten times as long; quadratic time would be a hundred times.
    assert times[1] < 40 * max(times[0], 0.001)


@pytest.mark.slow
@pytest.mark.parametrize("piece", [start for _, start, kind in table().anchored if kind.lead])
def test_the_middle_of_a_token_is_read_as_fast_as_the_name_of_a_secret(piece: str) -> None:
    times = []
    for repeated in (piece, "password="):
        text = repeated * (20_000 // len(repeated))
        mask(text)
        began = time.process_time()
        mask(text)
        times.append(time.process_time() - began)
    assert times[0] < 2 * times[1]


@pytest.mark.slow
@pytest.mark.parametrize("size", [MEGABYTE // 5, pytest.param(MEGABYTE, marks=pytest.mark.soak)])
def test_a_long_hostile_text_is_read_to_its_end(size: int) -> None:
    share = size // len(HOSTILE)
    text = "".join(piece * (share // len(piece) + 1) for piece in HOSTILE)
    assert len(text) >= size
    result = mask(text)
    assert result.text.count("\n") == text.count("\n")


def test_importing_the_module_reads_no_table_and_compiles_no_format() -> None:
    code = (
        "import sys, waypost.text.secrets.masking; print([m for m in sys.modules if 'secret_' in m or m == 'tomllib'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "app/.env.local",
        "deploy/prod.env",
        "id_rsa",
        "home/me/.ssh/id_ed25519",
        "home/me/.ssh/config",
        "certs/server.pem",
        "certs/store.P12",
        "keys/signing.key",
        "credentials.json",
        "a/b/.netrc",
        ".pgpass",
        "home/me/.aws/credentials",
        ".docker/config.json",
        ".kube/config",
        "C:\\Users\\me\\.npmrc",
        "infra/prod.tfvars",
        "terraform.tfstate",
        "app/secrets.yaml",
        "vault.kdbx",
        ".git-credentials",
    ],
)
def test_files_that_hold_secrets_are_known_by_their_path(path: str) -> None:
    assert is_secret_path(path)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        ".env.sample",
        ".env.template",
        "app/.env.dist",
        "id_rsa.pub",
        "src/credentials.py",
        "docs/secrets.md",
        "src/environment.ts",
        "env.py",
        "config.json",
        "src/key.ts",
        "keyboard.c",
        "tests/test_secrets.py",
        "README.md",
        "monkey.txt",
        "docker/config.json",
    ],
)
def test_ordinary_files_and_templates_are_not_secret_by_their_path(path: str) -> None:
    assert not is_secret_path(path)


@pytest.mark.parametrize(
    "text",
    [
        "password={}",
        "SFTP_PASSWORD={}",
        "password: '{}'",
        "The password for the sftp test server is {}",
        "Das Passwort ist {}",
        "Пароль от сервера: {}",
    ],
)
@pytest.mark.parametrize("password", ["Blue-Horse_77", "Red-Tiger-42", "Zelenka_77"])
def test_a_passphrase_of_words_with_signs_and_digits_is_masked(text: str, password: str) -> None:
    assert password not in mask(text.format(password)).text


@pytest.mark.parametrize(
    "text", ["password=user_input_2", "password = Config_2", "password=DB_PASS_22", "password=form-field-12"]
)
def test_names_of_code_after_a_password_stay(text: str) -> None:
    assert mask(text).text == text
