"""How a decision is written down: one note that is both the narrative and the recalled fact. Pure.

The first paragraph is the short form: what was decided, and because of what. All that follows is
for who asks. A decision is recalled by the files that it is about, else by the words of its title.
"""

KIND, STRENGTH = "decision", 4
SHORT = 300  # characters of a line of the short form
DECISION, BECAUSE = "Decision:", "Because:"
MOST_PHRASES = 3
LONGEST_PHRASE = 3  # words

# What a title may hold that says nothing of its subject.
COMMON = frozenset(
    """
    a about add after all allow always an and any are as at avoid be before both but by can
    change code data decide decision do does drop each every file files for from get go has have
    how if in instead into is it its keep let make may more move must my never new no not now of
    off old on once one only or our out over per prefer project put remove rename replace run
    same set should so start still stop store switch take test tests than that the their them
    then there these they thing things this through to two under until up use used using version
    via want was way we what when where which while who why will with without work write you
    your
    """.split()  # noqa: SIM905 - a hundred words in quotes are no list to read
)


def body_of(title: str, decision: str, because: str, context: str = "") -> str:
    """The text of the note. What is too long for the short form stands whole below it."""
    title, decision, because = (" ".join(text.split()) for text in (title, decision, because))
    short = [title.rstrip(".") + "."]
    if decision and decision.rstrip(".") != title.rstrip("."):
        short.append(f"{DECISION} {_cut(decision)}")
    if because:
        short.append(f"{BECAUSE} {_cut(because)}")
    parts = ["\n".join(short)]
    if context.strip():
        parts.append(f"**Context:** {context.strip()}")
    long = ((DECISION, decision), (BECAUSE, because))
    parts += [f"**{name}** {text}" for name, text in long if len(text) > SHORT]
    return "\n\n".join(parts) + "\n"


def short_form(body: str) -> str:
    """What an agent is shown of a decision without asking: the first paragraph."""
    return body.strip().partition("\n\n")[0]


def phrases(title: str) -> tuple[str, ...]:
    """What a prompt names when it is about this decision: the runs of telling words in its title;
    the title itself where it has none."""
    found: list[list[str]] = [[]]
    for word in title.split():
        plain = word.strip(".,:;!?()[]{}\"'`“”‘’")
        if len(plain) < 2 or plain.casefold() in COMMON:
            found.append([])
            continue
        found[-1].append(plain)
        if plain != word.rstrip("\"'`”’)") or len(found[-1]) == LONGEST_PHRASE:
            found.append([])
    runs = [" ".join(run) for run in found if run]
    longest = sorted(dict.fromkeys(runs), key=len, reverse=True)[:MOST_PHRASES]
    return tuple(run for run in dict.fromkeys(runs) if run in longest) or (title.strip(),)


def _cut(text: str) -> str:
    return text if len(text) <= SHORT else text[: SHORT - 1].rstrip() + "…"
