"""A text about one person or one machine is noticed; a rule for everybody is not."""

import pytest

from gitmem.gates.personal import Person, signs

ADA = Person("Ada Tester", "/home/ada", "ada-laptop")

PERSONAL = {
    "I prefer tabs in this repository": "'I prefer'",
    "Run one job: my machine has little memory": "'my machine'",
    "On this laptop: make test JOBS=1": "'On this laptop'",
    "I'm on a Mac, so use gsed": "'I'm'",
    "The key is in my own shell setup": "'my own shell'",
    "The fixtures lie in /home/ada/fixtures": "your home directory, /home/ada",
    "See /Users/grace/notes.txt": "somebody's home directory, /Users/grace",
    r"The SDK is in C:\Users\grace\sdk": r"somebody's home directory, C:\Users\grace",
    "Ask Ada Tester before a release": "your name, Ada Tester",
    "The database runs on ada-laptop:5432": "the name of this machine, ada-laptop",
    "Because I always forget it: run make gen": "'I always'",
}

FOR_ALL = [
    "Scripts under `scripts/` use CommonJS `require()`.",
    "Amounts are integer cents. Never use floats.",
    "I/O errors are retried three times; see src/io.py",
    "Type I errors are the false alarms",
    'Users ask "how do I log in?", and the FAQ answers',
    "As a user I want to see my orders: the stories are in docs/stories",
    "Call it `my_machine`; the container is /home/node/app",
    "The test image has its tree in /home/runner/work and /home/vscode",
    "Paths like /home/user/project are made up",
    "> I prefer tabs\n\nQuoted from the survey; the rule is spaces",
    "```\nI have no name!\n```\nmeans that the container has no such user",
    "The i18n keys of my-account.tsx are sorted",
    "ada-laptops are sold in src/shop",
    "Set `MY_HOME`; the variable wins",
    "The build needs a machine with 16 GB",
]


@pytest.mark.parametrize("text", PERSONAL)
def test_what_is_about_one_person_or_machine_is_noticed(text):
    assert signs(text, ADA) == [PERSONAL[text]]


@pytest.mark.parametrize("text", FOR_ALL)
def test_what_is_for_everybody_is_left_alone(text):
    assert signs(text, ADA) == []


def test_a_name_or_host_that_is_a_common_word_says_nothing():
    assert signs("The server builds; root owns it", Person("root", "/root", "server")) == []
    assert signs("Anything at all", Person()) == []
