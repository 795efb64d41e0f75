"""The order of hits is lexicographic, and one number carries it."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.ranking import CONFIDENCE, LAYERS, nearness, score

KEY = st.tuples(
    st.integers(1, 5), st.sampled_from(sorted(CONFIDENCE)), st.integers(1, 5), st.integers(0, 299)
)


@settings(max_examples=100, deadline=None)
@given(KEY, KEY)
def test_the_score_orders_as_kinds_confidence_strength_specificity_do(one, other):
    def rank(key):
        return key[0], CONFIDENCE[key[1]], key[2], key[3]

    assert (score(*one) < score(*other)) is (rank(one) < rank(other))
    assert (score(*one) == score(*other)) is (rank(one) == rank(other))


def test_verified_comes_before_likely_before_nothing_said_before_unsure():
    scores = [score(1, word, 3, 0) for word in ("verified", "likely", "", "unsure")]
    assert all(left > right for left, right in pairwise(scores))
    assert score(1, "word of another version", 3, 0) == score(1, "", 3, 0)


def test_the_nearest_layer_is_local_and_an_unknown_one_is_farthest():
    assert [nearness(layer) for layer in (*LAYERS, "other")] == [0, 1, 2, 3, 4]
