"""What the documentation says is so: sessions are run; commands, options and links exist."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import gen_cli_reference
import pytest
import yaml
from doc_sessions import HOME, PAGES, ROOT, commands_of, normalised, outputs_of
from running import program_directory

from gitmem.cli.app import CONTEXT, app

TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}
SHOWN = {name: commands_of(text) for name, text in TEXTS.items()}
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)

# The words of the design's glossary and those that pages lean on.
WORDS = (
    *("note", "revision", "trigger", "event", "recall", "anchor", "landed", "namespace", "layer"),
    *("view", "head", "subject files", "pending", "orphan", "stranded", "drift", "tip"),
    *("conflict", "tombstone", "entity", "hit", "index", "hook"),
)
# Hosts that a page may link to: no page sends a reader to a service that may not be there.
HOSTS = {"semver.org"}
# Directories that exist for a reader; the home directory of the sessions is made up.
PLACES = (HOME, "/dev/null", "/bin/sh")


@pytest.mark.parametrize("name", [name for name, commands in SHOWN.items() if commands])
def test_a_session_prints_what_the_page_shows(name: str, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    aside = tmp_path / "aside"
    aside.mkdir()
    found = outputs_of(ROOT / name, aside, program_directory(programs))
    shown = [f"$ {command.text}\n{normalised(command.output)}" for command, _ in found]
    assert shown == [f"$ {command.text}\n{normalised(real)}" for command, real in found]


def test_the_readme_and_the_tutorial_show_sessions() -> None:
    assert len(SHOWN["README.md"]) > 5
    assert len(SHOWN["docs/tutorial.md"]) > 15


def test_the_readme_has_at_most_100_lines() -> None:
    assert len(TEXTS["README.md"].splitlines()) <= 100


def test_the_readme_sets_up_a_fresh_machine_with_one_line_for_each_job() -> None:
    lines = [line for line in TEXTS["README.md"].splitlines() if line.startswith("python3 -m venv")]
    assert [line.rpartition('" ')[2] for line in lines] == [
        "git mem demo",
        "python -m pytest -q -n auto",
    ]


def test_the_command_line_reference_is_what_the_commands_say() -> None:
    assert TEXTS["docs/reference/cli.md"] == gen_cli_reference.render()


@pytest.mark.parametrize("name", TEXTS)
def test_every_relative_link_leads_to_a_page_and_a_heading(name: str) -> None:
    assert [link for link in _links(TEXTS[name]) if not _resolves(ROOT / name, link)] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page in PAGES:
            reached.add(page)
            links = _links(TEXTS[page.relative_to(ROOT).as_posix()])
            waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links]
    assert set(PAGES) - reached == set()


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_that_a_page_names_exists_with_its_options(name: str) -> None:
    assert [line for line in _mentions(TEXTS[name]) if _wrong(line)] == []


def test_a_command_or_an_option_that_does_not_exist_is_found() -> None:
    assert [
        _wrong(line)
        for line in (
            "git mem add TEXT -p 'src/**' --why=x | cat",
            "git mem --no-pager list",
            "git mem frobnicate",
            "git mem show ID --frobnicate",
            "git --no-pager mem edit ID -z",
        )
    ] == ["", "", "no command frobnicate", "no option --frobnicate", "no option -z"]


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if "```yaml" in text])
def test_the_workflows_of_a_page_parse_and_so_do_their_scripts(name: str) -> None:
    documents = [
        yaml.safe_load(body) for _, kind, body in FENCE.findall(TEXTS[name]) if kind == "yaml"
    ]
    scripts = [script for document in documents for script in _scripts(document)]
    assert scripts
    for script in scripts:
        plain = re.sub(r"\$\{\{.*?\}\}", "x", script)
        done = subprocess.run(["sh", "-n"], input=plain, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), script


def _scripts(document: object) -> Iterator[str]:
    """The shell scripts of a workflow: what stands under `run` or `script`."""
    if isinstance(document, list):
        for item in document:
            yield from _scripts(item)
    elif isinstance(document, dict):
        for key, value in document.items():
            if key in ("run", "script"):
                yield "\n".join(value) if isinstance(value, list) else value
            else:
                yield from _scripts(value)


@pytest.mark.parametrize("word", WORDS)
def test_the_glossary_explains(word: str) -> None:
    assert f"\n| {word} | " in TEXTS["docs/glossary.md"]


@pytest.mark.parametrize("name", TEXTS)
def test_no_page_names_a_path_of_a_machine_or_an_unknown_host(name: str) -> None:
    paths = re.findall(r"(?<!PWD')(?<![\w.~*>$}<)\]-])/[a-z][\w.-]*/[\w./-]*", TEXTS[name])
    hosts = re.findall(r"https?://([^/\s)]+)", TEXTS[name])
    assert [path for path in paths if not path.startswith(PLACES)] == []
    assert set(hosts) <= HOSTS


# --- links --------------------------------------------------------------------------------------


def _links(text: str) -> list[str]:
    """The relative links of a page."""
    targets = re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", FENCE.sub("", text))
    return [target for target in targets if "://" not in target]


def _resolves(page: Path, link: str) -> bool:
    name, _, heading = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists() or not heading:
        return target.exists()
    text = FENCE.sub("", target.read_text(encoding="utf-8"))
    return heading in [_slug(title) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]


def _slug(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


# --- commands -----------------------------------------------------------------------------------


def _mentions(text: str) -> Iterator[str]:
    """Every `git mem …` of a page, in a session, another fence or running text."""
    for command in commands_of(text):
        yield from _calls(command.text.replace("\\\n", " "))
    for _, kind, body in FENCE.findall(text):
        if kind in ("sh", "text"):
            for line in body.splitlines():
                yield from _calls(line.partition(" #")[0])
    for span in re.findall(r"`([^`]+)`", FENCE.sub("", text)):
        yield from _calls(span)


def _calls(line: str) -> Iterator[str]:
    for match in re.finditer(r"\bgit (?:--no-pager )?mem\b[^|;&\n]*", line):
        yield match.group().partition(" > ")[0].partition(" < ")[0]


def _wrong(line: str) -> str:
    """What is wrong with a call of `git mem`; '' for nothing."""
    line = next(_calls(line))
    try:
        words = shlex.split(line)
    except ValueError:  # a quote that ends beyond a pipe
        words = line.split()
    words = words[words.index("mem") + 1 :]
    context = click.Context(app, **CONTEXT)
    known = _options(app, context)
    while words and words[0].startswith("-"):
        if words.pop(0) not in known:
            return "no such option of git mem"
    if not words or words[0] in ("CMD", "…"):
        return ""
    name = words[0]
    command = app.get_command(context, name)
    if command is None:
        return f"no command {name}"
    known = _options(command, context)
    given = [word.partition("=")[0] for word in words[1:] if re.match(r"--?[a-zA-Z]", word)]
    return next((f"no option {word}" for word in given if word not in known), "")


def _options(command: click.Command, context: click.Context) -> set[str]:
    own = {name for item in command.params for name in [*item.opts, *item.secondary_opts]}
    return own | set(CONTEXT["help_option_names"])
