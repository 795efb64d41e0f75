"""Credentials are refused, and what only looks like one is not.

Every sample is put together here from parts, so that nobody's scanner takes this file for a leak.
"""

import random
import string
import time

import pytest

from gitmem.gates.secrets import RULES, Secret, SecretRefused, find

LETTERS = string.ascii_letters + string.digits


def drawn(size: int, alphabet: str = LETTERS, seed: int = 7) -> str:
    """`size` characters drawn by chance, the same in every run; a digit among the first two."""
    source = random.Random(seed)
    return "".join(source.choice(alphabet) for _ in range(size - 2)) + "7a"


HEX = "0123456789abcdef"

SAMPLES = [
    ("AWS access key", "AKIA" + "Q7R4TZ2MVB5KLX3N"),
    ("GitHub token", "ghp" + "_" + drawn(36)),
    ("GitHub token", "github" + "_pat_" + drawn(82)),
    ("GitLab token", "glpat" + "-" + drawn(20)),
    ("OpenAI key", "sk-" + "proj-" + drawn(24) + "T3Blbk" + "FJ" + drawn(24)),
    ("Anthropic key", "sk-" + "ant-api03-" + drawn(93) + "AA"),
    (
        "Slack token",
        "xox" + "b-" + "483910274655-483910274656-" + drawn(24),
    ),
    ("Slack webhook", "https://hooks." + "slack.com/services/T0AB12CD3/B0AB12CD3/" + drawn(24)),
    ("Stripe key", "sk" + "_live_" + drawn(24)),
    ("Google API key", "AI" + "za" + drawn(35)),
    ("npm token", "npm" + "_" + drawn(36)),
    ("npm registry token", "//registry.example.org/:_auth" + "Token=" + drawn(30)),
    ("PyPI token", "pypi-" + "AgEIcHlwaS5vcmc" + drawn(120)),
    ("Vault token", "token: " + "s." + drawn(24)),
    ("Databricks token", "dapi" + drawn(32, HEX)),
    ("SendGrid key", "SG" + "." + drawn(22) + "." + drawn(43)),
    ("Telegram bot token", "712345678" + ":A" + drawn(34)),
    ("Discord bot token", "MT" + drawn(22) + "." + drawn(6) + "." + drawn(27)),
    ("Azure client secret", "ab1" + "8Q~" + drawn(34)),
    ("private key", "-----BEGIN RSA PRIVATE" + " KEY-----\n" + drawn(64) + "\n"),
    ("private key", "-----BEGIN PRIVATE" + " KEY-----\\n" + drawn(64) + "\\n"),
    ("private key", "-----BEGIN RSA PRIVATE" + " KEY-----\nDEK-Info: AES\n\n" + drawn(64)),
    ("JSON web token", "eyJhbGciOi" + "JIUzI1NiJ9.eyJzdWIiOiIxIn0." + drawn(43)),
    ("password in an address", "postgres://billing:" + "kV9" + "tqLw2@db.internal/main"),
    ("password on a curl command line", "curl -u ada:" + "Tr0ub" + "4dor https://ci.internal"),
    (
        "credential in a curl header",
        'curl -H "X-Api-' + "Key: " + drawn(20) + '" https://x.internal',
    ),
    ("credential in a header", "Authorization: " + "Bearer " + drawn(40)),
    ("credential in an assignment", "API_" + "KEY=" + drawn(32)),
    ("credential in an assignment", '"client_' + 'secret": "' + drawn(32) + '"'),
    ("password in an assignment", "db_pass" + "word: " + "Kj8#" + "vq2Lm9"),
]

HARMLESS = [
    "ghp_" + "x" * 36,
    "AKIAIOSFODNN7" + "EXAMPLE is the key of the AWS documentation",
    "Set `GITHUB_TOKEN=$GITHUB_TOKEN` or ${{ secrets.GITHUB_TOKEN }}.",
    "postgres://user:password@localhost:5432/app and redis://:$REDIS_PASS@cache",
    'curl -u "$USER:$PASS" https://api.example.org; curl -u user:pass localhost',
    'curl -H "Authorization: Bearer $TOKEN" https://api.example.org',
    "API_KEY=your-api-key-goes-here-1234",
    "token: YOUR_TOKEN_12345678901234567890",
    "The commit 43fc912ef59a83054ea7f6706df4d53a7dea4d80 broke the build.",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "password: min. 8 characters, reset by mail",
    "const secret = process.env.SESSION_SECRET_2024_ROTATED",
    "-----BEGIN OPENSSH PRIVATE" + " KEY-----\n...\n-----END OPENSSH PRIVATE" + " KEY-----",
    "io.jsonwebtoken:jjwt-jackson-0.11.2 needs APPLICATION_CONTEXT and APIClientFactory",
    "credentialsId: '29f63271-dc2f-4734-8221-5b31b5169bac'",
    "See https://example.org/a?key=1 and git@github.com:acme/app.git.",
    "cache_key = f'{user}:{page}' and primary_key: account_number_2",
]


@pytest.mark.parametrize(("rule", "sample"), SAMPLES)
def test_a_credential_in_a_sentence_is_found_named_and_masked(rule: str, sample: str) -> None:
    found = find(f"How to deploy.\n\nUse {sample}\nand wait.")
    assert [(secret.rule, secret.line) for secret in found] == [(rule, 3 + secret_line(sample))]
    assert found[0].excerpt.endswith("…")
    assert len(found[0].excerpt) <= 5


def secret_line(sample: str) -> int:
    """How many lines into the sample the credential itself begins."""
    return sample.rstrip("\n").count("\n")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_documents_write_in_place_of_a_credential_is_harmless(text: str) -> None:
    assert find(text + "\n" + SAMPLES[1][1]) == [
        Secret("GitHub token", text.count("\n") + 2, "ghp_…")
    ]
    assert find(text) == []


def test_findings_come_in_the_order_of_the_text_and_only_once() -> None:
    _, token = SAMPLES[1]
    text = f"API_TOKEN={token}\nthen AKIA{'Q7R4' * 4}\n"
    assert find(text) == [Secret("GitHub token", 1, "ghp_…"), Secret("AWS access key", 2, "AKIA…")]


def test_an_exact_string_can_be_allowed_and_a_part_of_it_cannot() -> None:
    _, token = SAMPLES[1]
    text = f"The test fixture uses {token}."
    assert find(text) == find(text, [token[:-1], token + "x", ""])
    assert find(text) != []
    assert find(text, [token]) == []
    assert find(text, [f"fixture uses {token}"]) == []


def test_the_refusal_says_where_what_and_how_to_allow_it_but_not_the_credential() -> None:
    _, token = SAMPLES[1]
    refused = SecretRefused("deploy.md", find(f"one\n{token}\n{SAMPLES[0][1]}"))
    assert refused.message == (
        "deploy.md:2: this looks like a credential (GitHub token): ghp_…, and 1 more"
    )
    assert refused.hints == (
        "take it out, and say where it is kept instead",
        "if it is none: git config --add mem.allowSecret '<the exact string>'",
    )
    assert (refused.kind, refused.exit_code) == ("refused", 1)


def test_every_word_of_a_rule_is_in_the_case_that_is_searched() -> None:
    wrong = [
        (rule.name, word)
        for rule in RULES
        for word in rule.words
        if rule.ignores_case and word != word.lower()
    ]
    assert wrong == []


def test_a_hostile_text_is_screened_in_bounded_time() -> None:
    before = time.process_time()
    header = "-----BEGIN PRIVATE" + " KEY-----\n"
    for text in (
        "curl " * 20_000,
        "a: b:  " * 20_000,
        header + "a: b:  c:  " * 5_000,
        "http://" + "a:" * 50_000,
        "token" * 20_000,
        "eyJ" * 30_000,
        "A" * 100_000,
    ):
        find(text)
    assert time.process_time() - before < 10
