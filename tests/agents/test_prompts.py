"""Which prompts bring a note: sixty of them, asked of the real hook, against a small library.

Half of them name something that notes are about, in the many ways in which people write; the other
half need none, and most of those stand near to one that does.
"""

import re

import pytest
from running import Mem, note

LIBRARY = (
    note("pay", "Capture first.", more="entity: Payment Gateway\naliases: [paygate, PSP]\n"),
    note("ledger", "Entries never change.", more="entity: Ledger\naliases: [double-entry books]\n"),
    note("acme", "Acme pays by invoice.", more="entity: Acme\naliases: [Acme Ltd, ACM-1]\n"),
    note("search", "Reindex at night.", more="entity: OpenSearch\n"),
    note("queue", "At most once.", more="entity: RabbitMQ\naliases: [message broker]\n"),
    note("zurich", "Runs on its own.", more="entity: Zürich cluster\naliases: [Züri]\n"),
    note("kessai", "決済は二段階。", more="entity: 決済\naliases: [결제]\n"),
    note("atlas", "Maps are tiled.", more="entity: Atlas\naliases: [map tiles]\n"),
    note("cpp", "No exceptions.", more="entity: C++\n"),
    note("release", "Tag, then build.", prompts=["cut a release", "release notes"]),
    note("migrate", "Expand, then contract.", prompts=["migrations", "schema change"]),
    note("oncall", "Page the second first.", prompts=["on-call"], paths=["ops/**"]),
    note("flaky", "Run it alone with -n0.", prompts=["flaky test"]),
    note("gdpr", "Thirty days.", prompts=["personal data", "données personnelles"]),
    note("paths", "Only for files.", paths=["src/pay.py"]),
    note("house", "Never push to main.", more="triggers:\n  always: true\n"),
)
NEED = [
    ("why does the payment gateway answer twice?", "pay"),
    ("PaymentGateway.capture() raises, please fix it", "pay"),
    ("rename payment_gateway to gateway_client", "pay"),
    ("Add a timeout to the Payment-Gateway's client", "pay"),
    ("do we support two payment\ngateways at once?", "pay"),
    ("is PSP down", "pay"),
    ("the paygate mock returns 500", "pay"),
    ("look at `ledger` and tell me what it does", "ledger"),
    ('what is a "Ledger"?', "ledger"),
    ("LEDGER!!! it is broken again", "ledger"),
    ("explain our double entry books", "ledger"),
    ("Acme's invoice is wrong", "acme"),
    ("send Acme, Ltd. a receipt", "acme"),
    ("what did we promise to acme", "acme"),
    ("ticket ACM-1: the export fails", "acme"),
    ("upgrade open search to 2.11", "search"),
    ("why is opensearch slow", "search"),
    ("the open-search nodes are red", "search"),
    ("messages are lost in rabbitmq", "queue"),
    ("Which message brokers do we run?", "queue"),
    ("deploy to the Zurich Cluster", "zurich"),
    ("ist der ZÜRICH-Cluster wieder da?", "zurich"),
    ("この決済のバグを直して", "kessai"),
    ("결제를 고쳐줘", "kessai"),
    ("please write the C++ bindings", "cpp"),
    ("cut a release of the CLI", "release"),
    ("draft the Release Notes for 2.1", "release"),
    ("write a migration for the new column", "migrate"),
    ("who is on call this week?", "oncall"),
    ("où sont les donnees personnelles des clients ?", "gdpr"),
]
NEED_NONE = [
    "ok that looks good, go ahead and commit it",
    "thanks!",
    "hi, how are you today?",
    "how do I reverse a list in python without copying it?",
    "explain what this regex does: ^(?:[a-z0-9]+\\.)*example\\.com$",
    "fix the typo in the README intro paragraph",
    "write a haiku about autumn",
    "add a --verbose flag to the eval command",
    "the payment of the invoice is late; open the gateway door",
    "is there a prepayment? the gatekeeper says so",
    "the ledge of the window is dirty",
    "ledgerman is a funny name",
    "the acmeist poets wrote clearly",
    "this is the acme_of_all handlers",
    "open the file and search for the string",
    "reopen searching later",
    "rabbits eat carrots",
    "broker a message between the teams? no, the other way round",
    "the cluster of commas in this sentence",
    "決定を待ってください",
    "draw a map with tiles",
    "atlastic effects are not a word",
    "convert this C function to Rust",
    "the press release is out; note the typo",
    "prerelease builds are slow",
    "the data is personal to me",
    "call me when it is done",
    "a flakytester walks into a bar",
    "def search(open: bool) -> list[int]:\n    return [x for x in range(3) if open]\n",
    "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'x'",
]


@pytest.fixture
def library(mem: Mem) -> Mem:
    """`git mem` in a repository with LIBRARY."""
    mem.repo.commit(**{"src/pay.py": "", "ops/run.sh": ""})
    mem.store(*LIBRARY)
    return mem


def brought(library: Mem, prompt: str) -> list[str]:
    """The ids of the notes that the hook shows for a prompt."""
    event = {"hook_event_name": "UserPromptSubmit", "prompt": prompt}
    text = library.shown({**event, "cwd": str(library.repo.path)})
    return re.findall(r"^## (\S+) \(", text, re.MULTILINE)


def test_prompts_bring_the_notes_that_they_name_and_no_other(library: Mem) -> None:
    assert (len(NEED), len(NEED_NONE)) == (30, 30)
    shown = {prompt: brought(library, prompt) for prompt in (*dict(NEED), *NEED_NONE)}
    right = [prompt for prompt, note_id in NEED if note_id in shown[prompt]]
    delivered = sum(len(ids) for ids in shown.values())
    print(f"recall {len(right)}/{len(NEED)}, precision {len(right)}/{delivered}")
    assert {prompt: shown[prompt] for prompt in NEED_NONE if shown[prompt]} == {}
    assert {prompt: shown[prompt] for prompt, name in NEED if shown[prompt] != [name]} == {}


def test_a_prompt_that_names_many_things_brings_three_at_most(library: Mem) -> None:
    everything = "Acme, the ledger, OpenSearch, RabbitMQ, Atlas and the payment gateway"
    assert 0 < len(brought(library, everything)) <= 3
