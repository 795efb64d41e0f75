"""The ways to say where work stands, each with the part of the state that takes it. Only data.

A form is about grammar, not about subjects: a label before a colon ("Next:"), somebody at work
("still debugging"), something that is unfinished. Those that facts are told in as well ("the step
is still to be done") are `loose`: what makes a sentence general ("when", "every", "must") excuses
them. In a pattern `text` begins what remains to be said, and `end` what need not be.
"""

import re
from typing import NamedTuple

FOCUS, NEXT, BLOCKER, TODO = "focus", "next", "blocker", "todo"


class Form(NamedTuple):
    """`words`: one of them, in lower case, stands in every match. `opens`: it is looked for only
    where a sentence or a part of one begins. `tells_done`: it says what was reached."""

    place: str
    words: tuple[str, ...]
    expression: str
    opens: bool = True
    loose: bool = False
    tells_done: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled at its first use, then from re's cache: most notes need none of them."""
        return re.compile(self.expression, re.IGNORECASE)


def label(place: str, words: str, expression: str, but: str = "") -> Form:
    """`expression` before a colon or a dash, what `but` matches not being what follows."""
    follows = rf"(?!(?:{but})\b)" if but else ""
    divider = r"(?: ?\([^)]*\))? ?(?::|[-–—](?=\s))\s*"
    return Form(place, tuple(words.split("|")), rf"(?:{expression}){divider}{follows}(?P<text>\S)")


def start(place: str, words: str, expression: str) -> Form:
    """What hardly ever begins a sentence that tells a fact."""
    return Form(place, tuple(words.split("|")), expression)


def loose_start(place: str, words: str, expression: str, *, tells_done: bool = False) -> Form:
    """What begins a sentence about the work, unless the sentence is general."""
    return Form(place, tuple(words.split("|")), expression, loose=True, tells_done=tells_done)


def anywhere(place: str, words: str, expression: str) -> Form:
    """What tells of the work wherever it stands, unless the sentence is general."""
    return Form(place, tuple(words.split("|")), expression, opens=False, loose=True)


OUR = r"(?:(?:the|my|our|team|project|branch|and|then|so) )*"
WE = r"(?:(?:i|we|he|she|they|the team)(?:['’](?:m|re|s)| am| are| is) )"
NOW = (
    r"(?:(?:still|currently|now|presently|actively|busy|just|right now|at the moment|only|about"
    r"|already|roughly) )"
)
BE = r"(?:is|are|['’]s|['’]re|was|were)"
HAVE = r"(?:has|have)"
NOT = r"(?: not|n['’]t)"
# Work that comes to an end: "we are" alone says so of the first, of the others only with "still".
AT_WORK = (
    r"debugging|investigating|implementing|refactoring|migrating|porting|rewriting|finishing"
    r"|fixing|converting|reworking|bisecting|prototyping|tracking down|looking into"
    r"|in the middle of|half-? ?way|midway|part-? ?way|stuck|focus+ing on|focus+ed on"
)
BUSY = (
    rf"{AT_WORK}|moving|writing|adding|building|cleaning up|testing|looking (?:at|for)|upgrading"
    r"|updating|wiring|replacing|splitting|extracting|reviewing|drafting|designing|exploring"
    r"|researching|trying|preparing|polishing|removing|renaming|setting up|integrating|merging"
    r"|rebasing|reproducing|deciding|figuring out|cutting|shipping"
)
DO = (
    r"(?:add|build|clean|continue|convert|cut|debug|do|document|extract|figure|finish|fix"
    r"|implement|investigate|look|merge|migrate|move|port|rebase|refactor|remove|rename|replace"
    r"|resume|rewrite|split|start|tag|test|try|update|wire|write)"
)
DONE = (
    r"(?:done|finished|completed?|implemented|written|merged|converted|migrated|ported|tested"
    r"|wired(?: up)?|reviewed|released|shipped|deployed|fixed|moved|started|begun|documented"
    r"|refactored|covered|decided|settled|built|translated|updated|replaced|resolved)"
)
REDONE = (
    r"(?:re)?(?:written|worked|factored|designed|migrated|ported|converted|placed|named|moved"
    r"|built|viewed|split|implemented|debugged|investigated|upgraded)"
)
STEP = (
    r"(?:steps?|tasks?|actions?|items?|things?|jobs?|milestones?|moves?|up|priorit(?:y|ies)"
    r"|todos?|goals?|session|sprint|week|pass)"
)
PIECE = (
    r"(?:work|tasks?|items?|issues?|to-?dos?|points?|threads?|questions?|bits|parts?|steps"
    r"|pieces|problems?|bugs|loose ends|tests|docs|files|modules)"
)
PLAN = (
    r"(?:release|migration|prs?|pull request|branch|feature|work|tasks?|story|ticket|issue"
    r"|deploy|roll-?out|refactor(?:ing)?|rewrite|upgrade|spec|milestone|phase|sprint|epic|fix"
    r"|port|conversion|move|redesign|change|cleanup|demo|launch)"
)
SOON = (
    r"(?:tomorrow|tonight|later(?: today| this week| on)?|next (?:week|session|sprint|time|month)"
    r"|this (?:afternoon|evening|week)|after (?:lunch|the weekend)"
    r"|(?:on |before )?(?:mon|tues|wednes|thurs|fri)day)"
)
ANSWER = (
    r"(?:users?|reviews?|reviewers?|approval|feedback|sign-?off|answers?|reply|response|access"
    r"|credentials|team|legal|design|ops|decision|confirmation|keys?|licen[cs]e|merge|release"
    r"|maintainers?|upstream|customer|client|to (?:approve|answer|review|merge|reply|decide"
    r"|confirm|release|ship|publish|finish|fix|provide|send|grant))"
)

REST = (
    anywhere(
        TODO,
        "left|missing|outstanding|remain|to do|to go| yet|has not|have not|hasn|haven",
        rf"\b{DONE}\b[^.;]{{0,80}}(?:[,;:]| but| and| while)\s+(?:but |and )?"
        rf"(?P<text>[^,;]{{1,80}}?)(?P<end>\s+(?:{BE} (?:still )?(?:left|missing|outstanding"
        rf"|remaining|to do|to go)|remains?|(?:{HAVE}|{BE}){NOT}(?: been)? yet|{HAVE}{NOT})\W*$)",
    ),
)
NEXT_STEP = (
    label(
        NEXT,
        "next",
        rf"{OUR}(?:\w+ )?next(?: {STEP})?(?: (?:for|on|in|after|here|now|is|are)"
        r"[\w /.#-]{0,40})?",
    ),
    start(
        NEXT,
        "next",
        rf"{OUR}(?:exact |immediate |concrete |logical |very )*next {STEP}"
        r"(?: (?:for|on|in|with|after|of|here) [^,.;:]{1,60}?| here| now)? "
        r"(?:is|are|will be|would be|should be)(?: to)? (?P<text>\S)",
    ),
    anywhere(
        NEXT,
        "next",
        rf"\b(?:the|my|our|and|exact|immediate) next {STEP} (?:is|are|will be) (?:to )?"
        r"(?P<text>\S)",
    ),
    loose_start(NEXT, "next", r"the next (?!to\b)[\w-]+ (?:is|are) (?:to )?(?P<text>\S)"),
    start(
        NEXT,
        "next",
        r"(?:what(?: is|['’]s) next|up next|next,? (?:i|we|up|on (?:the|my|our) list)|next is"
        r"|next comes)\b\W*(?:(?:is|are|will|['’]ll|need to|have to|should|to) )*(?P<text>\S)",
    ),
    anywhere(
        NEXT,
        "next",
        r"\b(?:i|we)(?:['’]ll| will| need to| have to| should| plan to| am going to"
        r"| are going to| want to|['’]m going to)\b[^.;]{1,80}\bnext\W*$",
    ),
    anywhere(
        NEXT,
        "tomorrow|tonight|later|next|this |after|day",
        r"\b(?:will|['’]ll|going to|have to|need to|to be|continue|resume|pick(?:ing)? up)\b"
        rf"[^.;]{{0,80}}\b{SOON}\W*$",
    ),
    start(
        NEXT,
        "tomorrow|tonight|later|next|this |after|day|continue|pick",
        rf"(?:{SOON}\W+(?:i|we)\b|(?:to be )?continued?(?: here| {SOON})"
        rf"|pick(?:ing)?(?: it| this)? (?:back )?up (?:here|again|from|at|with|{SOON}))",
    ),
    start(
        NEXT,
        "left off|stopped|i'll|i’ll|i will|i am|i'm|i’m|i plan|i need|i have",
        r"(?:where )?(?:i|we) (?:left off|stopped)\b|(?:i(?:['’]ll| will| am going to"
        rf"|['’]m going to| plan to| need to| have to)) (?:now |then |next |also )*{DO}\b",
    ),
)
IN_THE_WORKS = (
    label(
        FOCUS,
        "focus|task|goal|work|status|state|priorit|sprint|plan|where",
        rf"{OUR}(?:(?:current|today['’]s|this (?:week|sprint)['’]s) (?:focus|tasks?|goals?|work"
        r"|status|state|priorit(?:y|ies)|sprint|objective)|(?:focus|goals?|priorit(?:y|ies)|plan)"
        r" (?:for )?(?:this|the current|now|today|right now|next) ?(?:week|sprint|month|session"
        r"|iteration)?|where (?:we|i|things|it) (?:are|am|stands?))(?: is| are)?(?: on)?",
    ),
    loose_start(
        FOCUS,
        "focus|priorit",
        rf"{OUR}(?:current |main |present )*(?:focus|(?:current|top) priority)(?: (?:this"
        r"|the current|for this|right now|of this|now|today)[\w ]{0,12})? is "
        r"(?:now |currently |still )*(?:on |to )?(?!\w+ed\b|kept|held|set|lost|in\b|at\b)"
        r"(?P<text>\S)",
    ),
    label(
        FOCUS,
        "status|progress|update",
        rf"{OUR}(?:current )?(?:status|progress|update)(?: (?:update|report|note))?(?: [\d-]+)?"
        rf"(?!.*(?:→|->|\|))(?=.*\b(?:{DONE}|progress|blocked|half|wip|waiting|left|working"
        r"|remain\w*|not|green|red|passing|failing|\d+ ?%|under ?way))",
    ),
    start(
        FOCUS,
        "progress|wip|ongoing|under",
        r"(?:\[wip\]|wip|work in progress|in progress|ongoing|under ?way)"
        r"(?:(?: on| ?[:–—]| -|(?<=\]))\s*(?P<text>\S)|\W*$)",
    ),
    anywhere(
        FOCUS,
        "wip|progress",
        rf"\b(?:{BE}|still|currently) (?:still |currently )*(?:a )?(?:wip|work in progress)\b"
        r"|[(\[](?:wip|work in progress)[)\]]\W*$|[-–—:] ?wip\W*$",
    ),
    start(
        FOCUS,
        "working",
        r"working on (?![^,;]*\b(?:is|are|was|requires?|needs?|means|takes|must|should|will|can"
        r"|cannot|without)\b)(?P<text>[^:]+$)",
    ),
    start(
        FOCUS,
        "currently|still|now |presently|busy|moment|about|actively|just |only |roughly|already",
        rf"{WE}?{NOW}+(?:in the process of )?(?:working (?:on|through) |(?=(?:{BUSY})\b))"
        r"(?P<text>\S)",
    ),
    start(
        FOCUS,
        "work|debug|investigat|implement|refactor|migrat|port|writ|finish|fix|convert|bisect|prototyp|track|look|middle|half|midway|part|stuck|focus",
        rf"{WE}(?:working (?:on|through) |(?=(?:{AT_WORK})\b))(?P<text>\S)",
    ),
    start(FOCUS, "half|mid|part", r"(?:half-? ?way|midway|part-? ?way) (?:through|there|into)\b"),
    anywhere(
        FOCUS,
        "still |currently|now |presently|actively|busy|just |already |only |about ",
        rf"\b(?:is|are) {NOW}+(?:working on|{AT_WORK})\b",
    ),
    anywhere(
        FOCUS,
        "progress|under|ongoing|half|partial|partly|almost|nearly|mostly|%",
        rf"\b(?:{BE}|still|currently) {NOW}*(?:in progress|under ?way|ongoing"
        rf"|half(?:-? ?way)?[ -](?:{DONE}|through|there)|half-?way"
        rf"|(?:partially|partly|nearly|almost|mostly) {DONE}|\d+ ?% {DONE})(?! by\b)",
    ),
    anywhere(FOCUS, "being", rf"\b(?:is|are) {NOW}*being {REDONE}\b"),
    anywhere(
        FOCUS,
        "half|most of|some of| of |out of|/",
        r"\b(?:half(?: of)?|most of|some of|\d+ (?:of|out of|/) ?(?:the )?\d+)\b[^.;]{1,60}"
        rf"\b(?:(?:{BE}|have been|has been) {NOW}*{DONE}|to go|remain(?:ing)?|left)\b"
        r"(?! (?:by|with)\b)",
    ),
    loose_start(
        FOCUS,
        "phase|step|milestone|stage|sprint|task|part",
        r"(?:phase|step|milestone|stage|sprint|task|part) \w{1,4}(?: of \w+)?(?: is| are| was|:)?"
        rf" {NOW}*(?:{DONE}|in progress|pending|next|under ?way|not \w+|remaining|ongoing)\b"
        r"(?! (?:by|in|with|on)\b)",
        tells_done=True,
    ),
    loose_start(
        FOCUS,
        "i've|i’ve|have",
        r"i(?:['’]ve| have) (?:just |already |now |only |so far )*(?:finished|completed|started"
        r"|begun|implemented|done|got(?:ten)? (?:as far as|to|through))\b",
        tells_done=True,
    ),
)
IN_THE_WAY = (
    start(
        BLOCKER,
        "blocked|stuck",
        rf"{WE}?{NOW}*(?!.*\b(?:means|indicates|says)\b)(?:blocked (?:(?:by|on) (?P<text>\S)"
        r"|(?:until|because|waiting)\b)|stuck (?:on|because|waiting|with)\b)",
    ),
    label(
        BLOCKER,
        "block",
        rf"{OUR}(?:current |open |main |only |remaining |{NOW})*(?:blockers?|blocked)",
        but=r"do not|don['’]t|never|always|must|avoid|not",
    ),
    start(
        BLOCKER,
        "blocked|stuck|hold|held|paused|stalled|waiting|pending",
        rf"(?!.*\b(?:when|while|if|unless|every|each|any|always|nobody)\b)(?:(?:the|this|that|our"
        rf"|my|its)(?: [\w/.#§-]+){{0,4}}? {PLAN}|(?:{PLAN} )?#\d+|[a-z]+-\d+)"
        rf"(?: [\w/.#§-]+){{0,3}}? (?:is|are|remains?) {NOW}*(?:\w+ (?:and|but) )?(?:blocked|stuck"
        r"|on hold|held up|paused|stalled|waiting|pending)\b",
    ),
    start(BLOCKER, "waiting", rf"{WE}{NOW}*(?P<text>(?:a?waiting)\b)"),
    loose_start(
        BLOCKER,
        "waiting",
        rf"{NOW}*(?P<text>(?:waiting (?:for|on)|awaiting) (?:[\w'’§-]+ ){{0,4}}?{ANSWER}\b)",
    ),
    start(
        BLOCKER,
        "can't|can’t|cannot|can not",
        r"(?:i|we) (?:can['’]t|cannot|can not) (?:continue|proceed|go on|finish|move on|start)\b",
    ),
    anywhere(
        BLOCKER,
        "still",
        rf"\b{BE} still (?:failing|broken|red|crashing|flaky|unclear|unknown|not working)\b",
    ),
)
TO_DO = (
    label(
        TODO,
        "todo|to-do|to do|fixme",
        r"[@#(\[]*(?:to-?dos?|to do|fixme)[)\]]*"
        r"(?: (?:list|items?|for|before|after|next|now|later)[\w ]{0,25})?",
    ),
    start(
        TODO,
        "todo|fixme",
        r"[@#(\[]*(?-i:TODO|FIXME)[)\]]* (?!(?:comments?|markers?|items?|lists?|entr(?:y|ies)"
        r"|notes?|tags?|files?|apps?|lines?|must|should|is|are|in|without|need|needs|and|or|with)\b)"
        r"(?P<text>\w)",
    ),
    anywhere(
        TODO,
        "todo|fixme",
        r"(?<!\bas )(?<!\blike )(?<!\bwith )(?<!\bform )(?<!\ba )(?<!\bwrite )(?<!\buse )"
        r"(?-i:TODO|FIXME)(?:\([^)]*\))?: ?(?P<text>\S)",
    ),
    label(
        TODO,
        "remain|left|outstanding|unfinished|still|open |pending|missing|incomplete"
        "|undone|to do|to finish|to be|to fix|to write|follow|backlog|loose|not ",
        r"(?!(?:open|pending|missing|left|incomplete|undone) ?[:–—-])(?:(?:the|my|our|what(?: is"
        r"|['’]s)|all that(?: is|['’]s)|still|things|also) )*(?:(?:remaining|left|outstanding"
        rf"|unfinished|open|pending|missing|incomplete|undone)(?: {PIECE})?(?: (?:here|now|for|in"
        r"|on|before|after|to)\b[\w /.#§-]{0,30})?|(?:left|still|yet) to (?:do|finish|fix|write"
        rf"|test|be done|decide)|what (?:still )?remains(?: to be done)?|not (?:yet )?{DONE}"
        r"(?: yet)?|(?:open )?follow-?ups?|backlog|loose ends|to be done)(?: is| are)?",
    ),
    loose_start(
        TODO,
        "pending",
        r"pending: (?=.*\b(?:review|approval|merge|release|pr|deploy|docs|migration)\b)"
        r"(?P<text>\S)",
    ),
    loose_start(
        TODO,
        "still|yet",
        r"(?:(?:i|we|also|but|and) )*(?:still|yet) (?:need|have|has|needs|want|got) (?:to )?"
        r"(?P<text>\S)",
    ),
    anywhere(TODO, "still", r"\b(?:i|we) still (?:need|have|want|must)(?: to)? (?P<text>\S)"),
    anywhere(
        TODO,
        "still",
        rf"\bstill (?:need|needs|has|have|lacks?|misses|miss) (?:(?:to be )?{DONE}|to be|tests"
        r"|docs|documentation|work|(?:a |its |their |the )?(?:tests?|review|cleanup))\b",
    ),
    anywhere(
        TODO,
        "to do|to be|unfinished|outstanding|undone|still",
        rf"\b(?:{BE}|remains?) (?:still )?(?:left )?(?:to do|to be {DONE}|undone|unfinished"
        r"|outstanding|still (?:pending|missing|untested|unresolved|todo|to do|in review"
        rf"|to come|not {DONE}))\b"
        rf"|\b(?:questions?|issues?|tasks?|prs?|points?|items?|tickets?|decision)\b[^.;,]{{0,40}}"
        rf" {BE} still open\b",
    ),
    anywhere(
        TODO,
        "yet|started|begun",
        rf"\b(?:(?:{BE}|{HAVE}){NOT}(?: been)? (?:yet (?:been )?{DONE}|{DONE} yet|started|begun)"
        rf"|not {DONE} yet|{BE} not yet {DONE}|yet to be {DONE}|{HAVE} yet to be)\b",
    ),
    anywhere(
        TODO,
        "except|apart from|but for",
        rf"\b{BE} (?:ready|{DONE}),? (?:except|apart from|but for)\b",
    ),
)
FORMS = (*REST, *NEXT_STEP, *IN_THE_WORKS, *IN_THE_WAY, *TO_DO)
