"""Warn of dates that mean another day tomorrow, and say what they mean today. Pure; English only.

Only what points at a day, week, month or year seen from now. "Now", "recently" and "soon" are vague
whenever they are read, and "today" is as often the day on which a program runs.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_NUMBER = rf"(?P<number>\d{{1,3}}|{'|'.join(NUMBERS)})"
_UNIT = r"(?P<unit>minute|hour|day|week|month|year)s?"
_RELATIVE = (
    r"(?<![\w'\"-])(?:(?P<day>yesterday|last night|tomorrow|tonight"
    r"|this (?:morning|afternoon|evening))"
    rf"|{_NUMBER} {_UNIT} ago"
    rf"|(?P<side>last|next|this) (?:(?P<span>week|month|year)|(?P<weekday>{'|'.join(DAYS)})))"
    r"(?![\w'’\"-]| of\b)"  # `the last week of a month` is no date
)
_WORDS = ("yesterday", "tomorrow", "tonight", "ago", "last", "next", "this")
_ASIDE = r"```.*?(?:```|\Z)|`[^`]*`|\"[^\"]*\"|“[^”]*”"


def warnings(body: str, today: date) -> list[str]:
    """One sentence for each relative date of `body`, with the date that it means `today`."""
    lowered = body.lower()
    if not any(word in lowered for word in _WORDS):
        return []  # as most notes: nothing has to be compiled
    plain = re.sub(_ASIDE, lambda found: " " * len(found[0]), body, flags=re.DOTALL)
    found: dict[str, str] = {}
    for match in re.finditer(_RELATIVE.replace(" ", r"\s+"), plain, re.IGNORECASE):
        found.setdefault(" ".join(match[0].split()), _meant(match, today))
    return [f"'{said}' will soon mean another date; write {meant}" for said, meant in found.items()]


def _meant(match: re.Match[str], today: date) -> str:
    said = {
        name: " ".join((value or "").lower().split()) for name, value in match.groupdict().items()
    }
    if said["day"]:
        step = {"tomorrow": 1, "yesterday": -1, "last night": -1}.get(said["day"], 0)
        return str(today + timedelta(step))
    if said["unit"]:
        count = NUMBERS.get(said["number"]) or int(said["number"])
        return _SPANS[said["unit"]](today, -count)
    step = {"last": -1, "this": 0, "next": 1}[said["side"]]
    if said["span"]:
        return _SPANS[said["span"]](today, step)
    ahead = (DAYS.index(said["weekday"]) - today.weekday()) % 7
    if said["side"] == "last":
        return str(today + timedelta(ahead - 7))
    return str(today + timedelta(ahead or (7 if step else 0)))


def _day(today: date, step: int) -> str:
    return str(today + timedelta(step))


def _week(today: date, step: int) -> str:
    return f"the week of {today + timedelta(7 * step - today.weekday())}"


def _month(today: date, step: int) -> str:
    months = 12 * today.year + today.month - 1 + step
    return f"{months // 12}-{months % 12 + 1:02}"


def _year(today: date, step: int) -> str:
    return str(today.year + step)


def _same_day(today: date, _: int) -> str:
    return str(today)


_SPANS: dict[str, Callable[[date, int], str]] = {
    "minute": _same_day,
    "hour": _same_day,
    "day": _day,
    "week": _week,
    "month": _month,
    "year": _year,
}
