"""A note that says nearly what another says is named, and no other."""

from gitmem.gates.duplicates import near

OTHERS = [
    ("cents", "Amounts in `src/pay.py` are whole cents.\n\n**Why it matters:** sums were off.\n"),
    ("node", "Stay on Node 20 until sharp builds on 22.\n"),
    ("short", "Use tabs.\n"),
]


def test_the_same_fact_in_other_words_is_near() -> None:
    assert near("The amounts in src/pay.py are in whole cents", OTHERS) == ["cents"]
    assert near("Node: stay on 20 until sharp builds on 22", OTHERS) == ["node"]


def test_another_fact_about_the_same_is_not_near() -> None:
    assert near("Amounts in src/pay.py may be negative after a refund", OTHERS) == []
    assert near("sums were off", OTHERS) == []
    assert near("Use tabs.", OTHERS) == []
