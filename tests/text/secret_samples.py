"""Samples of well-known secrets for the tests and the benchmarks.

They follow the rules that their issuers publish (prefix, alphabet, length, checksum), not the detector's patterns. A
seeded generator makes the same ones every time. Prefixes are written in two halves, so that no scanner takes this file
for a leak.
"""

import base64
import binascii
import json
import random
import string
from collections.abc import Callable

from waypost.text.secrets.masking import mask

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
    """GitHub and npm tokens: thirty characters and a checksum of six."""

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
    issuer = bytes.fromhex("707970692e6f7267")  # part of every such token
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


def encoded_jwt(rng: random.Random) -> Token:
    return "", encoded("".join(jwt(rng)).encode())


def teams_hook(rng: random.Random) -> Token:
    tail = f"{uuid(rng)}@{uuid(rng)}/IncomingWebhook/{chars(rng, HEX, 32)}/{uuid(rng)}"
    return "https://acme.webhook" + ".office.com/webhookb2/", tail


def softlayer(rng: random.Random) -> Token:
    return "https://api.soft" + "layer.com/soap/v3/", chars(rng, LOWER + DIGIT, 64)


def gitlab_session(rng: random.Random) -> Token:
    return "_gitlab" + "_session=", chars(rng, LOWER + DIGIT, 32)


def patterned(prefix: str) -> Maker:
    """A key as people type it, with counting or repeating letters and digits."""

    def make(rng: random.Random) -> Token:
        piece = rng.choice(["abc123", "a1b2c3d4", "AbCd1234EfGh5678", "abcdefghijklmnopqrstuvwxyz", "1234567890abcdef"])
        return "", prefix + (piece * 10)[: rng.randrange(24, 64)]

    return make


def dropbox(rng: random.Random) -> Token:
    start = rng.choice(["sl" + ".", "sl" + ".B", "sl" + ".u."])
    return "", start + chars(rng, URLSAFE, rng.choice([135, 140, 1200])) + "a"


def sidekiq(rng: random.Random) -> Token:
    return "BUNDLE_GEMS__CONTRIB" + "SYS__COM=", f"{chars(rng, HEX, 8)}:{chars(rng, HEX, 8)}"


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
    "adobe client secret": of("p8" + "e-", ALNUM, 32),
    "alibaba in small letters": of("LT" + "AI", LOWER + DIGIT, 20),
    "artifactory reference": of("cmV" + "md", ALNUM, 59),
    "artifactory password": of("AP" + "5", ALNUM, 40),
    "authress": joined(
        "sc" + "_",
        (LOWER + DIGIT, 12),
        ".",
        (LOWER + DIGIT, 5),
        ".acc" + "-",
        (LOWER + DIGIT, 16),
        ".",
        (URLSAFE, 80),
        "a",
    ),
    "aws key id, old": of("A3" + "T", UPPER + "234567", 17),
    "aws bedrock": of("AB" + "SK", BASE64, 120, "a=="),
    "aws bedrock, short": joined("bedrock-" + "api-key-", "YmVkcm9jay5hbWF6b25hd3MuY29t", (ALNUM, 60)),
    "clickhouse": of("4b" + "1d", ALNUM, 38),
    "clojars, all letters": of("CLOJ" + "ARS_", LOWER + DIGIT, 60),
    "defined networking": joined("dnk" + "ey-", (ALNUM, 26), "-", (ALNUM, 52)),
    "dropbox": dropbox,
    "dropbox, long-lived": joined((ALNUM, 11), "AAAAA" + "AAAAA", (URLSAFE, 42), (ALNUM, 1)),
    "duffel": of("duf" + "fel_live_", URLSAFE, 42, "a"),
    "dynatrace in small letters": joined("dt0" + "c01.", (LOWER + DIGIT, 24), ".", (LOWER + DIGIT, 64)),
    "facebook app": joined(("123456789", 1), (DIGIT, 15), "|", (URLSAFE, 27), (ALNUM, 1)),
    "flutterwave": joined("FLWSECK_" + "TEST-", (HEX, 32), "-X"),
    "frame.io": of("fio" + "-u-", URLSAFE, 63, "a"),
    "github fine-grained, any place of its underscore": joined("github_" + "pat_", (ALNUM, 50), "_", (ALNUM, 31)),
    "gitlab routable": joined("gl" + "pat-", (URLSAFE, 30), "a.", (LOWER + DIGIT, 2), (LOWER + DIGIT, 7)),
    "gitlab job": joined("glc" + "bt-", (ALNUM, 2), "_", (URLSAFE, 19), (ALNUM, 1)),
    "gitlab session": gitlab_session,
    "gocardless": of("li" + "ve_", ALNUM, 40),
    "harness": joined("pa" + "t.", (ALNUM, 22), ".", (ALNUM, 24), ".", (ALNUM, 20)),
    "hugging face with digits": of("h" + "f_", ALNUM, 34),
    "hugging face in small letters": of("h" + "f_", LOWER, 34),
    "hugging face organisation": of("api" + "_org_", string.ascii_letters, 34),
    "infracost": of("ic" + "o-", ALNUM, 32),
    "intra42": of("s-s4" + "t2ud-", HEX, 64),
    "jwt, encoded again": encoded_jwt,
    "maxmind": joined((ALNUM, 6), "_", (ALNUM, 29), "_m" + "mk"),
    "notion, any letters": of("nt" + "n_", ALNUM, 46),
    "notion, patterned": patterned("nt" + "n_1234567890"),
    "octopus": of("AP" + "I-", UPPER + DIGIT, 26),
    "onepassword service account": of("ops_" + "eyJ", ALNUM, 400, "a="),
    "openai, patterned": patterned("sk-" + "proj-"),
    "openai, short": of("sk-" + "proj-", URLSAFE, 29, "a"),
    "planetscale oauth": of("pscale_" + "oauth_", ALNUM, 43),
    "scalingo": of("tk-" + "us-", URLSAFE, 47, "a"),
    "settlemint": one_of(["sm_" + kind for kind in ("aat_", "pat_", "sat_")], ALNUM, 16),
    "shippo, mixed hex": of("ship" + "po_test_", HEX + "ABCDEF", 40),
    "slack configuration": joined("xo" + "xe.xo" + "xp-1-", (UPPER + DIGIT, 165)),
    "slack refresh": joined("xo" + "xe-1-", (UPPER + DIGIT, 146)),
    "slack legacy": joined("xo" + "xs-", (DIGIT, 11), "-", (DIGIT, 11), "-", (DIGIT, 11), "-", (HEX, 10)),
    "slack workspace": joined("xo" + "xa-2-", (ALNUM, 16)),
    "sidekiq": sidekiq,
    "softlayer address": softlayer,
    "square, old": of("EA" + "AA", URLSAFE, 59, "a"),
    "stripe, short": of("sk_" + "live_", ALNUM, 16),
    "teams webhook": teams_hook,
    "twilio account": of("A" + "C", HEX, 32),
    "typeform": of("tf" + "p_", ALNUM, 59),
    "vault, old": of("s" + ".", ALNUM, 24),
    "yandex iam": joined("t" + "1.", (URLSAFE, 60), "a.", (URLSAFE, 85), "a"),
    "yandex static": of("Y" + "C", URLSAFE, 37, "a"),
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
    "lower 15 (Dropbox app)": joined((LOWER + DIGIT, 15)),
    "lower 16 (Confluent, LinkedIn)": joined((LOWER + DIGIT, 16)),
    "lower 17 (Airtable)": joined((LOWER + DIGIT, 17)),
    "lower 20 (Finnhub, Finicity)": joined((LOWER + DIGIT, 20)),
    "lower 22 (Travis)": joined((LOWER + DIGIT, 22)),
    "lower 24 (Etsy, Looker, Atlassian)": joined((LOWER + DIGIT, 24)),
    "lower 26 (Mattermost, MessageBird)": joined((LOWER + DIGIT, 26)),
    "lower 30 (Plaid, Twitch, Alibaba)": joined((LOWER + DIGIT, 30)),
    "lower 32 (Codecov, Drone, Flickr, Bittrex, Private AI)": joined((LOWER + DIGIT, 32)),
    "lower 40 (Datadog, Zendesk)": joined((LOWER + DIGIT, 40)),
    "lower 50 (RapidAPI, Twitter)": joined((LOWER + DIGIT, 50)),
    "lower 64 (Confluent, Freshbooks, JFrog, Sumo Logic, SoftLayer)": joined((LOWER + DIGIT, 64)),
    "lower 73 (JFrog)": joined((LOWER + DIGIT, 73)),
    "lower with _ and - 32 (Adafruit, Discord, NYTimes)": joined((LOWER + DIGIT + "_-", 31), (LOWER, 1)),
    "lower with _ and - 40 (Gitter, LaunchDarkly, Sonar)": joined((LOWER + DIGIT + "_-", 39), (LOWER, 1)),
    "lower with _ and - 43 (Contentful, Netlify)": joined((LOWER + DIGIT + "_-", 42), (LOWER, 1)),
    "lower with _ and - 60 (Intercom, Bitbucket, Coinbase)": joined((LOWER + DIGIT + "_-", 59), (LOWER, 1)),
    "hex 24 (KuCoin)": joined((HEX, 24)),
    "hex 32 (Facebook, Linear, Finicity)": joined((HEX, 32)),
    "hex 40 (Meraki, Sendbird)": joined((HEX, 40)),
    "hex 48 (IBM COS)": joined((HEX, 48)),
    "hex 64 (Discord, Sentry, Cloudant)": joined((HEX, 64)),
    "uuid (HubSpot, Snyk, Squarespace, KuCoin)": lambda rng: ("", uuid(rng)),
    "letters and digits 40 (Cohere)": joined((ALNUM, 40)),
    "url-safe 44 (IBM Cloud IAM)": joined((URLSAFE, 43), (ALNUM, 1)),
    "base64 88 (Kraken)": lambda rng: ("", encoded(rng.randbytes(64))),
    "beamer": of("b" + "_", LOWER + DIGIT, 44),
    "lob": one_of(["li" + "ve_", "te" + "st_"], HEX, 35),
    "twitter access": joined(("123456789", 1), (DIGIT, 18), "-", (ALNUM, 40)),
    "twitter bearer": joined("A" * 22, (ALNUM, 90)),
}
"""Known by the name before them only. The vendors in brackets issue such values."""

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


def password(rng: random.Random) -> Token:
    """A password as people make it: a word or letters, a capital, digits, often a final sign."""
    word = rng.choice(["hunter", "Regen", "sonne", "Blue", "zebra", "kolibri", "Winter", "panda", "moskva", "Tango"])
    mixed = chars(rng, LOWER, 2) + chars(rng, DIGIT, 2) + chars(rng, UPPER, 2) + chars(rng, ALNUM, 3)
    return "", rng.choice([word + chars(rng, DIGIT, 2) + chars(rng, LOWER, 2), mixed]) + rng.choice(
        ["", "", "!", "$", "#"]
    )


SENTENCES: dict[str, Maker] = {"password": password}

SENTENCE_CARRIERS = {
    "en is": "The password is {}",
    "en is, full stop": "The password is {}.",
    "en is, comma": "my password is {}, do not share it",
    "en in brackets": "(password is {})",
    "en emphasis": "password is **{}**",
    "en of a thing": "The password for the staging server is {}.",
    "en set": "Please set the password to {}.",
    "en changed": "The root password was changed to {} today.",
    "en with": "log in as admin with password {}",
    "en reversed": "Use {} as the password.",
    "en pw": "pw: {}",
    "de lautet": "Das Passwort lautet {}.",
    "de ist": "Kennwort ist {}.",
    "de of a thing": "Das Passwort vom Server ist {}",
    "de beside": "Login admin, Passwort {}",
    "de changed": "Das Passwort wurde auf {} geändert.",
    "de colon": "Passwort root: {}",
    "ru colon": "пароль: {}",
    "ru of a thing": "пароль от сервера — {}",
    "ru genitive": "пароль сервера: {}",
    "ru is": "Паролем является {}.",
    "ru equals": "пароль равен {}",
    "ru changed": "Я поменял пароль на {}.",
    "ru with": "заходи под логином admin с паролем {}",
    "ru hyphen": "новый пароль - {}",
    "ru of admin": "Пароль администратора {}",
}

AWS_SECRET: dict[str, Maker] = {"aws secret": joined((BASE64, 40))}

AWS_CARRIERS = {
    "en is": "my aws secret key is {}",
    "en is, full stop": "The AWS secret access key for prod is {}.",
    "en beside": "here is the aws secret {}",
    "en reversed": "use {} as aws secret key",
    "de": "Mein AWS-Secret-Key lautet {}.",
    "de words": "der geheime AWS-Schlüssel ist {}",
    "ru": "Секретный ключ AWS: {}",
    "ru dash": "секретный ключ aws — {}",
}


def generated(rng: random.Random) -> Token:
    """A password as programs make it: random letters of both cases and digits."""
    drawn = [*chars(rng, LOWER, 4), *chars(rng, UPPER, 4), *chars(rng, DIGIT, 3), *chars(rng, ALNUM, 3)]
    rng.shuffle(drawn)
    return "", "".join(drawn)


LAYOUTS: dict[str, Maker] = {"password": password, "generated": generated}

LAYOUT_CARRIERS = {
    "next line": "password:\n  {}\n",
    "next line, CRLF": "Password:\r\n{}\r\nuser: bob",
    "next line, blank between": "password:\n\n{}",
    "next line, json": '"password":\n"{}"',
    "next line, list": "- password:\n  - {}\n",
    "next line, de": "Passwort:\n{}",
    "next line, ru": "пароль:\n{}\n",
    "yaml block": "password: |\n  {}\nuser: bob\n",
    "yaml folded": "db:\n  password: >-\n    {}\n",
    "bold name": "**password:** {}",
    "bold name, sign outside": "**Passwort**: {}",
    "bold value": "password: **{}**",
    "bold name, ru": "- **Пароль:** {}",
    "cell": "| password | {} |",
    "cell, code": "| Пароль | `{}` |",
    "cell, bold": "| **Passwort** | **{}** |",
    "column": "| user | password |\n|---|---|\n| bob | {} |\n",
    "column, ru": "пользователь | пароль\n--- | ---\nanna | {}\n",
    "html cell": "<tr><td>password</td><td>{}</td></tr>",
    "html list": "<dt>Passwort</dt>\n<dd>{}</dd>",
    "tab": "user\tbob\npassword\t{}\n",
    "columns of blanks": "user       bob\npassword   {}\n",
    "aside": "My password, {}, must not leak",
    "aside, de": "Mein Passwort, {}, bleibt geheim",
    "aside, ru": "Мой пароль, {}, не должен утечь",
    "arrow": "password → {}",
    "arrow, de": "Passwort ⇒ {}",
    "another word": "password db1 {}",
    "as a password, de": "Bitte {} als Passwort verwenden",
    "as a password, ru": "{} как пароль использовать",
    "root pass": "root pass: {}",
    "user pass": "db-user pass={}",
    "sql": "IDENTIFIED BY '{}'",
    "no-break space": "password:\u00a0{}",
    "wide space": "Passwort:\u3000{}",
    "zero-width space": "p\u200bassword: {}",
    "soft hyphen": "Pass\u00adwort: {}",
    "joiner, ru": "па\u200dроль: {}",
    "tag characters": "pass\U000e0061word: {}",
    "combining mark": "pas\u0336sword: {}",
    "Cyrillic o": "passw\u043erd: {}",
    "Cyrillic a, de": "P\u0430sswort: {}",
    "Greek o": "passw\u03bfrd: {}",
    "Latin a in ru": "п\u0061роль: {}",
    "full width": "ｐａｓｓｗｏｒｄ： {}",
    "mathematical": "\U0001d429\U0001d41a\U0001d42c\U0001d42c\U0001d430\U0001d428\U0001d42b\U0001d41d: {}",
    "url": "https://example.org/login?next=%2Fhome%3Fpassword%3D{}%26x%3D1",
    "url, twice": "next=password%253D{}%2526x",
    "url, json": "q=%7B%22password%22%3A%22{}%22%7D",
}
"""The value stands apart from the word, or the word is spelled so that only a person reads it."""

GENERATED: dict[str, Maker] = {"generated": generated}
GENERATED_CARRIERS = {"pass": "pass={}", "pass, colon": "pass: {}", "list": "bob, password, {}, admin"}
"""The word is one of every code: only what a program made is believed."""

BESIDE: dict[str, Maker] = {
    "lower 32": joined((LOWER + DIGIT, 32)),
    "letters and digits 32": joined((ALNUM, 32)),
    "hex 64": joined((HEX, 64)),
}
BESIDE_CARRIERS = {
    "api key": "api key {}",
    "access token": "Use the access token {} for it.",
    "secret key base": "secret_key_base: {}",
    "de": "API-Schlüssel {}",
    "ru": "токен доступа {}",
    "next line": "api_key:\n  {}\n",
    "bold": "**API key:** {}",
    "cell": "| client secret | {} |",
    "full width": "ａｐｉ＿ｋｅｙ＝{}",
    "zero-width space": "acc\u200bess_token={}",
    "url": "api_key%3D{}",
}


def is_hidden(token: Token, carrier: str) -> bool:
    """Whether exactly the secret part is masked."""
    before, after = carrier.format("\0").split("\0")
    text = before + token[0] + token[1] + after
    result = mask(text)
    if not result.text.startswith(before + token[0][:8]) or not result.text.endswith(after):
        return False
    middle = result.text[len(before) : len(result.text) - len(after)]
    return token[1][-6:] not in middle and token[1][:12] not in middle


Rates = dict[str, tuple[float, dict[str, int]]]


def rates(formats: dict[str, Maker], carriers: dict[str, str], samples: int) -> Rates:
    """For each format, the share of masked samples, and the misses of each carrier."""
    rates: Rates = {}
    for name, make in formats.items():
        rng = random.Random(name)
        missed = {
            where: misses
            for where, carrier in carriers.items()
            if (misses := sum(not is_hidden(make(rng), carrier) for _ in range(samples)))
        }
        rates[name] = 1 - sum(missed.values()) / (len(carriers) * samples), missed
    return rates


GROUPS = {
    "shape": (FORMATS, CARRIERS),
    "name": (NAMED, NAMED_CARRIERS),
    "sentence": (SENTENCES, SENTENCE_CARRIERS),
    "aws": (AWS_SECRET, AWS_CARRIERS),
    "layout": (LAYOUTS, LAYOUT_CARRIERS),
    "plain pass": (GENERATED, GENERATED_CARRIERS),
    "token beside": (BESIDE, BESIDE_CARRIERS),
}
"""By what a secret is known: its own shape, the name before it, the sentence around it, or the layout."""
