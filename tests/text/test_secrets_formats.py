"""At least 99 of 100 well-known tokens are masked, whatever carries them.

The tokens are made here, by the rules that their issuers publish (prefix, alphabet, length, checksum), not from the
patterns of the detector; a seeded generator makes the same ones every time. Prefixes are written in two halves, so
that no scanner takes this file for a leak.
"""

import base64
import binascii
import json
import random
import string
from collections.abc import Callable

import pytest

from waypost.text.secrets import mask

pytestmark = pytest.mark.slow  # not for the inner loop

SAMPLES_PER_CARRIER = 20

LOWER, UPPER, DIGIT = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = string.ascii_letters + DIGIT
HEX = DIGIT + "abcdef"
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"
FIVE = (UPPER + DIGIT, 5)
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"

Token = tuple[str, str]
"""What may stay readable, and what must not."""
Maker = Callable[[random.Random], Token]


def chars(rng: random.Random, alphabet: str, count: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(count))


def of(prefix: str, alphabet: str, count: int, suffix: str = "") -> Maker:
    return lambda rng: ("", prefix + chars(rng, alphabet, count) + suffix)


def one_of(prefixes: list[str], alphabet: str, count: int) -> Maker:
    return lambda rng: ("", rng.choice(prefixes) + chars(rng, alphabet, count))


def joined(*parts: str | tuple[str, int]) -> Maker:
    def make(rng: random.Random) -> Token:
        return "", "".join(part if isinstance(part, str) else chars(rng, *part) for part in parts)

    return make


def base62_crc(body: str) -> str:
    value, digits = binascii.crc32(body.encode()), ""
    while value:
        value, rest = divmod(value, 62)
        digits = (DIGIT + UPPER + LOWER)[rest] + digits
    return digits.rjust(6, "0")


def checked(prefixes: list[str]) -> Maker:
    """GitHub and npm: thirty characters and a checksum of six."""

    def make(rng: random.Random) -> Token:
        body = chars(rng, ALNUM, 30)
        return "", rng.choice(prefixes) + body + base62_crc(body)

    return make


def uuid(rng: random.Random) -> str:
    return "-".join(chars(rng, HEX, n) for n in (8, 4, 4, 4, 12))


def encoded(data: bytes, *, url: bool = False) -> str:
    return (base64.urlsafe_b64encode(data).rstrip(b"=") if url else base64.b64encode(data)).decode()


def jwt(rng: random.Random) -> Token:
    head = {"alg": rng.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"}
    body = {"sub": str(rng.randrange(10**9)), "iat": rng.randrange(10**9), "name": chars(rng, LOWER, 8)}
    parts = [encoded(json.dumps(part).encode(), url=True) for part in (head, body)]
    return "", ".".join([*parts, encoded(rng.randbytes(32), url=True)])


def discord(rng: random.Random) -> Token:
    user = str(rng.randrange(3 * 10**17, 12 * 10**17)).encode()
    return "", f"{encoded(user, url=True)}.{chars(rng, URLSAFE, 6)}.{chars(rng, URLSAFE, 38)}"


def pypi(rng: random.Random) -> Token:
    issuer = bytes.fromhex("707970692e6f7267")  # stands in every such token
    body = b"\x02\x01\x08" + issuer + b"\x02" + rng.randbytes(120)
    return "", "pypi-" + encoded(body, url=True)


def sentry_org(rng: random.Random) -> Token:
    body = {"iat": rng.random() * 10**9, "url": "https://sentry.io", "region_url": "https://us.sentry.io", "org": "x"}
    return "", f"sntrys_{encoded(json.dumps(body).encode())}_{encoded(rng.randbytes(32)).rstrip('=')}"


def grafana_legacy(rng: random.Random) -> Token:
    return "", encoded(json.dumps({"k": chars(rng, ALNUM, 32), "n": "name", "id": 1}, separators=(",", ":")).encode())


def slack_hook(rng: random.Random) -> Token:
    tail = f"T{chars(rng, UPPER + DIGIT, 10)}/B{chars(rng, UPPER + DIGIT, 10)}/{chars(rng, ALNUM, 24)}"
    return "https://hooks.slack" + ".com/services/", tail


def discord_hook(rng: random.Random) -> Token:
    return "https://discord" + ".com/api/webhooks/", f"{chars(rng, '123456789', 18)}/{chars(rng, URLSAFE, 68)}"


def vercel_blob(rng: random.Random) -> Token:
    return "", f"vercel_blob_rw_{chars(rng, ALNUM, 16)}_{chars(rng, ALNUM, 30)}"


def uuid_after(prefix: str) -> Maker:
    return lambda rng: ("", prefix + uuid(rng))


FORMATS: dict[str, Maker] = {
    "waypost": of("way" + "post_", URLSAFE, 43),
    "github classic": checked(["gh" + kind for kind in ("p_", "o_", "u_", "s_", "r_")]),
    "github fine-grained": joined("github_" + "pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    "gitlab personal": of("gl" + "pat-", URLSAFE, 20),
    "gitlab others": one_of(["gl" + kind for kind in ("dt-", "rt-", "ft-", "soat-", "ffct-")], URLSAFE, 20),
    "gitlab trigger": of("gl" + "ptt-", HEX, 40),
    "gitlab agent": of("gl" + "agent-", URLSAFE, 50),
    "gitlab runner registration": of("GR" + "1348941", URLSAFE, 20),
    "aws key id": one_of(["AK" + "IA", "AS" + "IA"], UPPER + "234567", 16),
    "google api key": of("AI" + "za", URLSAFE, 35),
    "google oauth secret": of("GOC" + "SPX-", URLSAFE, 28),
    "google oauth token": of("ya" + "29.a0", URLSAFE, 160),
    "slack bot": joined("xo" + "xb-", (DIGIT, 12), "-", (DIGIT, 13), "-", (ALNUM, 24)),
    "slack user": joined("xo" + "xp-", (DIGIT, 12), "-", (DIGIT, 12), "-", (DIGIT, 13), "-", (HEX, 32)),
    "slack app": joined("xa" + "pp-1-A", (UPPER + DIGIT, 10), "-", (DIGIT, 13), "-", (HEX, 64)),
    "slack webhook": slack_hook,
    "stripe live": one_of(["sk_" + "live_", "rk_" + "live_"], ALNUM, 24),
    "stripe test": of("sk_" + "test_", ALNUM, 99),
    "stripe webhook": of("wh" + "sec_", ALNUM, 32),
    "npm": checked(["np" + "m_"]),
    "pypi": pypi,
    "openai legacy": joined("s" + "k-", (ALNUM, 20), "T3Blbk" + "FJ", (ALNUM, 20)),
    "openai project": joined("sk-" + "proj-", (URLSAFE, 74), "T3Blbk" + "FJ", (URLSAFE, 73), (ALNUM, 1)),
    "openai service": joined("sk-" + "svcacct-", (URLSAFE, 58), "T3Blbk" + "FJ", (URLSAFE, 57), (ALNUM, 1)),
    "anthropic": of("sk-" + "ant-api03-", URLSAFE, 93, "AA"),
    "anthropic admin": of("sk-" + "ant-admin01-", URLSAFE, 93, "AA"),
    "openrouter": of("sk-" + "or-v1-", HEX, 64),
    "langsmith": joined("lsv2_" + "pt_", (HEX, 32), "_", (HEX, 10)),
    "hugging face": of("h" + "f_", string.ascii_letters, 34),
    "replicate": of("r" + "8_", ALNUM, 37),
    "groq": of("gs" + "k_", ALNUM, 52),
    "perplexity": of("pp" + "lx-", ALNUM, 48),
    "twilio key": of("S" + "K", HEX, 32),
    "sendgrid": joined("S" + "G.", (URLSAFE, 22), ".", (URLSAFE, 42), (ALNUM, 1)),
    "mailgun": of("ke" + "y-", HEX, 32),
    "mailgun new": joined((HEX, 32), "-", (HEX, 8), "-", (HEX, 8)),
    "mailchimp": joined((HEX, 32), "-u" + "s", ("123456789", 1), (DIGIT, 1)),
    "brevo": joined("xkey" + "sib-", (HEX, 64), "-", (ALNUM, 16)),
    "telegram bot": joined(("123456789", 10), ":" + "AA", (URLSAFE, 32), (ALNUM, 1)),
    "discord bot": discord,
    "discord webhook": discord_hook,
    "shopify": one_of(["shp" + kind for kind in ("at_", "ca_", "pa_", "ss_")], HEX, 32),
    "square": one_of(["sq0" + "atp-", "sq0" + "csp-"], URLSAFE, 43),
    "braintree": joined("access_token$" + "production$", (LOWER + DIGIT, 16), "$", (HEX, 32)),
    "digitalocean": one_of(["do" + kind for kind in ("p_v1_", "o_v1_", "r_v1_")], HEX, 64),
    "heroku new": of("HR" + "KU-", URLSAFE, 59, "a"),
    "vault service": of("hv" + "s.", URLSAFE, 94, "a"),
    "vault batch": of("hv" + "b.", URLSAFE, 150, "a"),
    "terraform cloud": joined((ALNUM, 14), ".atlas" + "v1.", (ALNUM, 67)),
    "databricks": of("da" + "pi", HEX, 32),
    "grafana service account": joined("gl" + "sa_", (ALNUM, 32), "_", (HEX, 8)),
    "grafana cloud": of("gl" + "c_", ALNUM, 120, "="),
    "grafana legacy": grafana_legacy,
    "linear": of("lin_" + "api_", ALNUM, 40),
    "notion": joined("nt" + "n_", (DIGIT, 11), (ALNUM, 35)),
    "notion legacy": of("sec" + "ret_", ALNUM, 43),
    "figma": of("fig" + "d_", URLSAFE, 39, "a"),
    "airtable": joined("pa" + "t", (ALNUM, 14), ".", (HEX, 64)),
    "atlassian": joined("ATA" + "TT3", (URLSAFE, 177), "=", (UPPER + DIGIT, 8)),
    "bitbucket app": of("AT" + "BB", ALNUM, 32),
    "docker hub": of("dckr_" + "pat_", URLSAFE, 26, "a"),
    "fly": of("fm" + "2_", BASE64, 180, "a="),
    "fly legacy": of("fo" + "1_", URLSAFE, 42, "a"),
    "supabase personal": of("sb" + "p_", HEX, 40),
    "supabase secret": joined("sb_" + "secret_", (URLSAFE, 22), "_", (ALNUM, 8)),
    "vercel blob": vercel_blob,
    "cloudflare origin ca": joined("v1" + ".0-", (HEX, 24), "-", (HEX, 146)),
    "new relic": of("NR" + "AK-", UPPER + DIGIT, 27),
    "sentry user": of("sntr" + "yu_", HEX, 64),
    "sentry organisation": sentry_org,
    "postman": joined("PM" + "AK-", (HEX, 24), "-", (HEX, 34)),
    "planetscale": one_of(["pscale_" + "tkn_", "pscale_" + "pw_"], ALNUM, 43),
    "doppler": one_of(["dp" + ".pt.", "dp" + ".ct."], ALNUM, 43),
    "doppler service": joined("dp" + ".st.prd_main.", (ALNUM, 43)),
    "pulumi": of("pu" + "l-", HEX, 40),
    "dynatrace": joined("dt0" + "c01.", (UPPER + DIGIT, 24), ".", (UPPER + DIGIT, 64)),
    "rubygems": of("ruby" + "gems_", HEX, 48),
    "crates.io": of("ci" + "o", ALNUM, 32),
    "clojars": of("CLOJ" + "ARS_", HEX, 60),
    "artifactory": of("AK" + "Cp", ALNUM, 69),
    "sonarqube": one_of(["sq" + kind for kind in ("u_", "p_", "a_")], HEX, 40),
    "sourcegraph": joined("sg" + "p_", (HEX, 16), "_", (HEX, 40)),
    "prefect": of("pn" + "u_", ALNUM, 36),
    "readme.com": of("rd" + "me_", LOWER + DIGIT, 70),
    "easypost": of("EZ" + "AK", ALNUM, 54),
    "shippo": of("ship" + "po_live_", HEX, 40),
    "hubspot": uuid_after("pat-" + "na1-"),
    "plaid": uuid_after("access-" + "production-"),
    "launchdarkly": uuid_after("sd" + "k-"),
    "onepassword": joined("A" + "3-", (UPPER + DIGIT, 6), "-", (UPPER + DIGIT, 11), "-", FIVE, "-", FIVE, "-", FIVE),
    "age": of("AGE-SECRET" + "-KEY-1", BECH32, 58),
    "azure client secret": joined((ALNUM, 3), "8" + "Q~", (ALNUM + "_~.-", 33), (ALNUM, 1)),
    "openshift": of("sha" + "256~", URLSAFE, 42, "a"),
    "buildkite": of("bk" + "ua_", HEX, 40),
    "tailscale": joined("tskey" + "-auth-", (ALNUM, 17), "-", (ALNUM, 32)),
    "netlify": of("nf" + "p_", ALNUM, 36),
    "jwt": jwt,
    "facebook": of("EA" + "AC", ALNUM, 160),
    "yandex cloud": of("AQ" + "VN", URLSAFE, 35, "a"),
    "alibaba": of("LT" + "AI", ALNUM, 20),
}

CARRIERS = {
    "prose": "Please use {} for the deploy, and tell nobody.",
    "german": "Nimm bitte {} für den Server.\nDanke!",
    "russian": "Вот, возьми: {} и никому не говори",
    "env": "FIRST=1\nexport DEPLOY_VALUE={}\nLAST=2",
    "quoted env": "DEPLOY_VALUE='{}'",
    "json": '{{"name": "deploy", "value": "{}", "size": 3}}',
    "escaped json": '"{{\\"value\\": \\"{}\\"}}"',
    "after an escape": '"first line\\n{}\\nlast line"',
    "yaml": "deploy:\n  value: {}\n  size: 3\n",
    "code": 'client = Client("{}", timeout=3)',
    "url": "https://example.org/hook?value={}&size=3",
    "header": "POST /x HTTP/1.1\r\nX-Deploy: {}\r\nAccept: */*\r\n",
    "log": "2031-05-01T10:00:00Z INFO peer=10.0.0.7 got {} (3 ms)",
    "markdown": "| deploy | `{}` |",
    "xml": "<deploy><value>{}</value></deploy>",
    "sentence end": "The new one is {}.",
}
"""None of these names a secret: the value must be known by its own shape."""

NAMED: dict[str, Maker] = {
    "aws secret key": joined((BASE64, 40)),
    "heroku legacy": lambda rng: ("", uuid(rng)),
    "datadog": joined((HEX, 32)),
    "datadog application": joined((HEX, 40)),
    "cloudflare": joined((URLSAFE, 40)),
    "cloudflare global": joined((HEX, 37)),
    "azure storage": lambda rng: ("", encoded(rng.randbytes(64))),
    "okta": joined("00", (URLSAFE, 40)),
    "algolia": joined((HEX, 32)),
    "fastly": joined((URLSAFE, 32)),
    "asana": joined((HEX, 32)),
    "twitter": joined((ALNUM, 50)),
    "travis": joined((ALNUM, 22)),
    "rails": joined((HEX, 128)),
    "netrc style": joined((ALNUM, 24)),
}

NAMED_CARRIERS = {
    "env": "export SERVICE_API_KEY={}\nLAST=2",
    "secret env": 'SERVICE_SECRET_KEY="{}"',
    "json": '{{"user": "me", "access_token": "{}"}}',
    "yaml": "service:\n  client_secret: {}\n",
    "code": 'apiKey := "{}"',
    "php": "'secret' => '{}',",
    "url": "https://example.org/v1?access_token={}",
    "header": "X-Api-Key: {}",
    "bearer": "Authorization: Bearer {}",
    "properties": "service.secret.key = {}",
    "xml": "<apiKey>{}</apiKey>",
    "option": "deploy --api-token {} --force",
    "prose": "The API key is {}, keep it safe",
    "german": "Der API-Schlüssel lautet {}\n",
    "russian": "Токен: {}\n",
}


def is_hidden(token: Token, carrier: str) -> bool:
    """Whether all of the secret part is gone, and nothing else."""
    before, after = carrier.format("\0").split("\0")
    text = before + token[0] + token[1] + after
    result = mask(text)
    if not result.text.startswith(before + token[0][:8]) or not result.text.endswith(after):
        return False
    middle = result.text[len(before) : len(result.text) - len(after)]
    return token[1][-6:] not in middle and token[1][:12] not in middle


@pytest.mark.parametrize("where", CARRIERS)
def test_what_was_masked_once_holds_nothing_to_mask_again(where: str) -> None:
    rng = random.Random(where)
    once = [mask(CARRIERS[where].format("".join(make(rng)))).text for make in FORMATS.values()]
    assert [text for text in once if mask(text).found] == []


def recall(formats: dict[str, Maker], carriers: dict[str, str]) -> tuple[float, dict[str, str]]:
    """The share of hidden samples over all, and the formats that are below 95 of 100, with where they were missed."""
    rng = random.Random("well-known tokens")
    weak: dict[str, str] = {}
    hidden_total = total = 0
    for name, make in formats.items():
        missed: dict[str, int] = {}
        for where, carrier in carriers.items():
            misses = sum(not is_hidden(make(rng), carrier) for _ in range(SAMPLES_PER_CARRIER))
            if misses:
                missed[where] = misses
        count = len(carriers) * SAMPLES_PER_CARRIER
        total += count
        hidden_total += count - sum(missed.values())
        if sum(missed.values()) > 0.05 * count:
            weak[name] = f"missed of {SAMPLES_PER_CARRIER} each: {missed}"
    return hidden_total / total, weak


def test_the_corpus_has_at_least_sixty_formats_with_hundreds_of_samples_each() -> None:
    assert len(FORMATS) >= 60
    assert len(CARRIERS) * SAMPLES_PER_CARRIER >= 300


def test_well_known_tokens_are_masked_in_every_carrier() -> None:
    share, weak = recall(FORMATS, CARRIERS)
    assert weak == {}
    assert share >= 0.99


def test_tokens_without_a_shape_of_their_own_are_masked_where_a_name_tells_what_they_are() -> None:
    share, weak = recall(NAMED, NAMED_CARRIERS)
    assert weak == {}
    assert share >= 0.99


@pytest.mark.parametrize("value", ["x" * 36, "0" * 36, "EXAMPLE" * 6])
def test_a_prefix_before_a_row_of_placeholders_is_no_token(value: str) -> None:
    assert mask("gh" + "p_" + value[:36]).found == ()
