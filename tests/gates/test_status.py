"""The state of the work is refused as a fact, with the command that takes it; facts are not."""

import shlex

import pytest

from gitmem.gates.status import MAX_TEXT, StatusRefused, check, find

# What says where work stands, by the place that it belongs to.
SAID = {
    "next": [
        "Next step is to add the retry to the uploader",
        "The next step is the settings page.",
        "next steps: finish the docs, tag 1.4",
        "Next up: port the CLI tests to pytest",
        "My next task is wiring the export button",
        "Up next: error handling in the importer",
        "What's next: run the benchmarks and compare",
        "Next, I will split the reducer into two files.",
        "Next session: start with the failing test in test_sync.py",
        "I left off at the token refresh in src/auth.ts",
        "Will continue with the API tests tomorrow",
        "I'll fix the remaining lint errors next",
        "To be continued tomorrow: the CSS cleanup",
        "## Next steps\n\n- add tests\n- write docs",
        "The cache is fast now. Next step: invalidate it on write.",
        "**Next:** add tests",
        "Just finished the parser; next is the printer.",
        "Picking up from the sync branch: rebase, then fix conflicts",
        "I need to rebase feature/login before the merge",
        "We have to finish the tests before Friday",
        "Tomorrow I will look at the flaky test",
    ],
    "focus": [
        "currently working on the payment retry",
        "Currently refactoring the auth middleware to use sessions",
        "I'm working on the search index",
        "We're in the middle of the move to pnpm",
        "I am still debugging the flaky websocket test",
        "Working on the new onboarding flow; the first two screens are there.",
        "The team is currently migrating the billing tables to Postgres.",
        "Right now I'm rewriting the parser tests",
        "WIP: new layout for the dashboard",
        "WIP - dark mode",
        "[WIP] dark mode",
        "The new exporter is WIP.",
        "The login rewrite is still a work in progress.",
        "We are stuck on the TLS handshake with the legacy proxy",
        "The refactoring of src/api is about 60% done",
        "Half of the components have been converted to hooks",
        "12 of 40 endpoints are migrated",
        "Current focus: the import wizard",
        "Current status: tests are green, deploy pending",
        "Status: in progress",
        "Focus for this sprint is getting sync stable",
        "Our focus this week is performance of the list view",
        "Phase 2 is done, phase 3 is in progress",
        "Step 3 of 5 done; step 4 not started",
        "The migration to TypeScript is ongoing",
        "The old table is currently being migrated",
        "As of today, the login page is half finished",
        "2026-10-04: currently cleaning up the CSS",
        "In progress: moving the fixtures to factories",
        "Progress: 3 of 7 modules converted",
        "I am halfway through renaming the endpoints",
        "The upgrade to Node 22 is nearly finished",
    ],
    "blocker": [
        "blocked by the missing staging credentials",
        "Blocked on review from the security team",
        "Blocker: no access to the staging cluster",
        "I'm blocked until ops opens the port",
        "The release is blocked by the failing Windows build",
        "PR #123 is waiting for review",
        "Waiting for legal to approve the new wording",
        "Waiting on feedback from design about the sidebar",
        "We're waiting for the API key from Acme.",
        "The search feature is on hold until the index is fixed",
        "Tests for the parser are still failing and I have not found out why yet",
        "The PR is open and waiting for CI",
        "Currently blocked: the sandbox is down",
    ],
    "todo": [
        "TODO: write tests for the cache",
        "todo: rename UserService",
        "TODO(ann): remove the shim",
        "- TODO update the changelog",
        "I have finished the parser, the printer is left",
        "The parser is finished, the printer is still missing.",
        "I've implemented the server side; the client is still to do.",
        "Models and views are done, templates are not yet.",
        "Backend done, but the frontend has not been started",
        "The docs are not written yet",
        "Unit tests have not been written yet for the scheduler",
        "The websocket layer is not implemented yet.",
        "Rate limiting is not yet implemented",
        "Still to do: docs, changelog, tag",
        "Still missing: error handling in upload.ts",
        "Remaining: two flaky tests",
        "Remaining tasks: migrate users, drop the old table",
        "Left to do: the Windows installer",
        "What's left: the settings page and the docs",
        "We still need to write the migration guide",
        "I still have to test this on Windows",
        "Still have to update the screenshots",
        "Follow-up: add a test for empty input",
        "Open tasks: docs, changelog",
        "Open questions: which queue to use, who owns the topic",
        "## TODO\n\nAdd tests for the parser.",
        "The API returns cents. TODO: update the client.",
        "I was going to add a lock but have not started",
        "**TODO:** add tests",
        "Not done yet: the docs",
        "Not started: the Windows port",
        "Pending: review of the schema by Ann",
        "Done: models. Doing: views. To do: templates.",
    ],
}

# What uses the same words and stays true.
FACTS = [
    "The next page token is in the Link header, not in the body.",
    "Pass `next` to the error handler, or Express swallows the error.",
    "Next.js caches fetch by default; pass no-store.",
    "Use the next free port when 8080 is taken.",
    "The iterator's next() raises StopIteration at the end.",
    "Convention: TODO comments carry an issue number",
    "TODO comments without an owner fail the lint",
    "The todo app in examples/ is only a fixture",
    "Todo items are stored newest first",
    "Branch protection: merging is blocked until two approvals are given",
    "Requests are blocked by CORS in the browser unless the origin is listed",
    "The event loop is blocked by synchronous fs calls",
    "Port 25 is blocked by the provider, so mail goes over 587",
    "The worker blocks on the queue until a message arrives",
    "A PR is blocked when the coverage falls",
    "Waiting for the lock takes up to 30 s; do not lower the timeout",
    "Wait for networkidle before taking a screenshot",
    "We are using tabs, not spaces",
    "We are on Node 20 because sharp does not build on 22",
    "Currently only Linux is supported",
    "The parser currently ignores comments",
    "The server is currently running on port 4000 in staging",
    "The job status is one of pending, running, done, failed",
    "Status codes: 409 means the branch moved",
    "Status: the column is an enum; add new values at the end only",
    "The progress bar reads metadata.progress between 0 and 1",
    "In progress uploads are resumed after a restart",
    "Uploads in progress are lost when the pod restarts",
    "If a migration is in progress, the API answers 503",
    "Jobs that are not finished after an hour are killed",
    "The focus ring must stay visible; never set outline: none",
    "Focus moves to the dialog when it opens",
    "Focus on the failing test first, then run the suite",
    "The remaining arguments are passed to the child process",
    "Remaining retries are sent in the X-Retries header",
    "The last column is left empty on purpose",
    "Old keys are left in place after rotation for 24 h",
    "You still need to call close() after an error",
    "Callers still need to check for null because the type lies",
    "Still required for bug fixes: a changelog line",
    "The old endpoint still works and must stay until v3",
    "The script works on Linux but does not on macOS",
    "Reads are cached, writes are not",
    "Tests run in parallel; those marked serial do not",
    "After approval the next reviewer is picked at random",
    "The migration to pnpm was finished on 2026-03-01",
    "We have migrated to pnpm; npm install breaks the lockfile",
    "I fixed the flaky clock test by pinning TZ=UTC",
    "The cache was removed in 2.3 because it was never hit",
    "We decided to keep XML for the audit export",
    "Open issues with the label good-first-issue are for newcomers",
    "Open the modal with useModal(), not with state",
    "Pending requests are cancelled on unmount",
    "Pending: use for tests that should run but cannot",
    "Blocker: do not merge with failing tests",
    "Missing translations fall back to English",
    "Half of the pool is reserved for admin connections",
    "Two of the three replicas must be healthy",
    "The phase field is set by the operator",
    "Phase 2 tables use createServiceClient()",
    "Step 2 of the wizard needs the session cookie",
    "WIP commits are squashed by the merge queue",
    "WIP branches are deleted after 30 days",
    "Draft PRs skip the e2e suite",
    "The build is done in CI, never locally",
    "Never start work before the spec is approved",
    "When you are done, update the changelog",
    "Do not say it is done until the tests pass",
    'Use "Next steps:" as the last heading of a report',
    "Every report ends with the line `Next step: …`",
    "A task is done when it is merged and deployed",
    "If the plan is not approved yet, ask first",
    "The user may not exist yet during sign-in",
    "Columns that do not exist yet must be added in the same migration",
    "The index is rebuilt while the old one is still open",
    "The file handle is still open after the exception",
    "The worker is still running after SIGTERM; send SIGKILL after 10 s",
    "Continue with the next story after the review",
    "Resume a paused run with `make resume`",
    "I prefer small commits",
    "I want to be asked before you push",
    "We release on Tuesdays",
    "Tomorrow's date in the fixture comes from FakeClock",
    "Reports are sent tomorrow morning when the job fails tonight",
    "The plan for this quarter lives in docs/plan.md",
    "Current state lives in the store, never in the URL",
    "The current focus is kept in a ref",
    "The work queue is Redis; jobs are JSON",
    "Working on http-client-csharp requires no pnpm commands",
    "Working directory must be clean before the release script runs",
    "Adding a field to the API needs a new snapshot",
    "The tests are written in Gherkin",
    "Docs are written in AsciiDoc, not in Markdown",
    "Models are done with pydantic, and views with jinja",
    "Deploys are paused on Fridays",
    "The scheduler is paused while migrations run",
    "Follow-up requests reuse the connection",
    "Backlog size is limited to 128 by the kernel",
    "What is left of the legacy API lives under src/v1",
    "The Windows build is not supported",
    "IPv6 is not implemented in the mock server",
    "Keep the old name in the alias table: clients have not all moved",
    "The step after build is sign, then publish",
    "Upgrade blockers are listed in docs/upgrade.md",
    "Prisma cannot be upgraded past 5: the driver of the vendor pins it",
    "The release branch is waiting for nobody: it is cut by cron",
    "The queue is stuck when a message has no ack",
    "Stuck at 99%: ffmpeg reports microseconds",
    'Error "blocked by client" comes from the ad blocker',
    "The first thing to do is call init()",
    "Decisions: what to do next is decided in the weekly meeting, never in chat",
    "The team is small, so reviews are done by one person",
    "Progress events arrive out of order",
    "Update: run `make deps` after each pull",
    "Update the snapshot with -u",
    "We're a monorepo; packages are published one by one",
    "Going forward, new modules are ESM",
]


@pytest.mark.parametrize("place, text", [(at, text) for at, said in SAID.items() for text in said])
def test_what_says_where_work_stands_belongs_to_a_part_of_the_state(place: str, text: str) -> None:
    assert [item.place for item in find(text)][:1] == [place]


@pytest.mark.parametrize("text", FACTS)
def test_a_fact_in_the_same_words_is_none(text: str) -> None:
    assert find(text) == []
    assert find(f"## Rules\n\n- Amounts are cents.\n- {text}\n\nThat is all.\n") == []


@pytest.mark.parametrize("text", [text for said in SAID.values() for text in said[:8]])
def test_it_is_found_after_a_fact_and_in_a_list_item_and_in_bold(text: str) -> None:
    assert find(f"Amounts are cents. {text}")
    assert find(f"Amounts are cents.\n\n- {text}\n")
    assert find(f"Amounts are cents.\n\n> {text}\n")


@pytest.mark.parametrize("text", [text for said in SAID.values() for text in said[:8]])
def test_it_is_not_found_where_it_is_only_shown(text: str) -> None:
    assert find(text)
    assert find(f"A report looks like this:\n\n```\n{text}\n```\n") == []
    assert find(f"The last line of a report reads `{text}`.") == []
    assert find(f"Amounts are cents.\n\n**Why it matters:** {text}\n") == []


PROPOSED = [
    ("Next step is to add the retry.", 'git mem state set next "add the retry"'),
    ("**Next steps:** tag 1.4, then announce", 'git mem state set next "tag 1.4, then announce"'),
    ("Currently working on the cache.", 'git mem state set focus "the cache"'),
    ("I am still debugging the cache", 'git mem state set focus "debugging the cache"'),
    ("Status: the parser is half done.", 'git mem state set focus "the parser is half done"'),
    ("Blocked by the vendor\u2019s key.", 'git mem state set blocker "the vendor\u2019s key"'),
    ("I'm blocked until ops answers", 'git mem state set blocker "I\'m blocked until ops answers"'),
    ("Waiting for review by Ann", 'git mem state set blocker "Waiting for review by Ann"'),
    ("TODO: add tests", 'git mem todo add "add tests"'),
    ('- TODO(ann): `--json` for "list"', "git mem todo add '`--json` for \"list\"'"),
    ("TODO: --json for list", 'git mem todo add -- "--json for list"'),
    ("TODO: it costs $5!", "git mem todo add 'it costs $5!'"),
    ("I have finished the parser, the printer is left.", 'git mem todo add "the printer"'),
    ("**Docs:** they are not written yet", 'git mem todo add "Docs: they are not written yet"'),
    ("Models are done, but views are still missing", 'git mem todo add "views"'),
    ("As of today, the parser is in progress", None),
]


@pytest.mark.parametrize("text, command", PROPOSED)
def test_the_command_says_what_the_note_said(text: str, command: str | None) -> None:
    (found,) = find(text)
    if command is None:
        assert shlex.split(found.command)[-1] == text
    else:
        assert found.command == command


def test_a_long_item_is_cut_between_words() -> None:
    (found,) = find("TODO: " + "wordy " * 100)
    assert found.text == ("wordy " * 26).strip() + "\u2026"
    assert len(found.text) <= MAX_TEXT


def test_the_items_of_a_list_are_proposed_one_by_one_and_one_next_step() -> None:
    with pytest.raises(StatusRefused) as refused:
        check("Amounts are cents.\n\n## TODO\n\n- a\n- b\n- c\n- d\n", None, "the note")
    assert refused.value.message == (
        "the note:5: this is where the work stands and no lasting fact: TODO: a"
    )
    assert refused.value.hints == tuple(
        f'keep it with: git mem todo add "{item}"' for item in "abc"
    )
    with pytest.raises(StatusRefused) as refused:
        check("Next steps:\n\n1. a\n2. b\n", None, "the note")
    assert refused.value.hints == ('keep it with: git mem state set next "a"',)


def test_the_line_is_that_of_what_was_typed() -> None:
    source = "---\nid: x\n---\nAmounts are cents.\n\nTODO: more\n"
    with pytest.raises(StatusRefused, match=r"^x\.md:6: "):
        check("Amounts are cents.\n\nTODO: more\n", None, "x.md", source)


def test_what_a_kind_of_note_is_for_it_may_say() -> None:
    done = "I have finished the move to pnpm."
    assert [find(done, "task_summary"), bool(find(done))] == [[], True]
    assert find(f"{done} Next step: remove yarn.lock.", "task_summary")
    for text in ("Blocked by the sandbox: uploads time out.", "The flag is not documented yet."):
        assert [find(text, "friction"), bool(find(text))] == [[], True]
    assert find("Next step: ask for a flag", "friction")
    decided = "Use pnpm.\n\n**Context:** The move to workspaces is in progress.\n"
    assert [find(decided, "decision"), bool(find(decided))] == [[], True]
    assert find("Next step: use pnpm", "decision")


def test_a_note_with_a_credential_is_left_to_the_gate_that_repeats_none_of_it() -> None:
    said = "TODO: rotate "
    check(said + "AKIA" + "Q7R4TZ2MVB5KLX3N", None, "the note")
    with pytest.raises(StatusRefused):
        check(said + "the key", None, "the note")
