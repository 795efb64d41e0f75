"""Dates that mean another day tomorrow are warned of, with the day they mean now."""

from datetime import date

import pytest

from gitmem.gates.dates import warnings

TODAY = date(2026, 11, 30)  # a Monday
MEANT = {
    "The cache was dropped yesterday": ("yesterday", "2026-11-29"),
    "The key expires Tomorrow.": ("Tomorrow", "2026-12-01"),
    "CI is red since last night": ("last night", "2026-11-29"),
    "The deploy is tonight": ("tonight", "2026-11-30"),
    "Ann changed it two weeks ago": ("two weeks ago", "the week of 2026-11-16"),
    "Ann changed it 3 days  ago,": ("3 days ago", "2026-11-27"),
    "It broke 5 hours ago": ("5 hours ago", "2026-11-30"),
    "It broke a month ago": ("a month ago", "2026-10"),
    "It broke 13 months ago": ("13 months ago", "2025-10"),
    "The client signed last week": ("last week", "the week of 2026-11-23"),
    "We freeze next month": ("next month", "2026-12"),
    "We freeze this year": ("this year", "2026"),
    "Since last Friday amounts are cents": ("last Friday", "2026-11-27"),
    "From next monday amounts are cents": ("next monday", "2026-12-07"),
    "Until this Friday": ("this Friday", "2026-12-04"),
    "Since last Monday": ("last Monday", "2026-11-23"),
}
NONE = [
    "On 2026-10-02 the cache was dropped",
    "The job runs every Monday and Friday",
    "The last week of a month has no release",
    "Backups are kept for two weeks",
    "Sessions end after 3 days",
    "`git log --since=yesterday` is slow",
    'The filter "last week" counts from Sunday',
    "The yesterday-cache holds old prices",
    "today() reads the clock of the database",
    "```\nyesterday\n```",
    "It is now faster than recently",
]


@pytest.mark.parametrize("text", MEANT)
def test_a_relative_date_comes_with_the_one_it_means(text: str) -> None:
    said, meant = MEANT[text]
    assert warnings(text, TODAY) == [f"'{said}' will soon mean another date; write {meant}"]


def test_other_talk_of_time_is_not_warned_of() -> None:
    assert [text for text in NONE if warnings(text, TODAY)] == []


def test_each_date_is_told_once() -> None:
    assert len(warnings("Yesterday and yesterday, then yesterday and tomorrow", TODAY)) == 3
