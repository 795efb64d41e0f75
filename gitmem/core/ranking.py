"""Order hits, and say how well each matched. Hot: imports nothing.

The order is lexicographic: independent trigger kinds that fired, confidence, strength, how specific
the pattern is, nearness of layer, recency, local use. `score` packs the first four in one number.
"""

CONFIDENCE = {"verified": 3, "likely": 2, "": 1, "unsure": 0}
LAYERS = ("local", "shared", "workspace", "self")
TEXT_SPECIFICITY = 100


def score(kinds: int, confidence: str, strength: int, specificity: int) -> float:
    """`kinds` 1–5, `strength` 1–5, `specificity` 0–299 → a number whose order is the ranking's."""
    parts = kinds + CONFIDENCE.get(confidence, 1) / 10 + strength / 100 + specificity / 100_000
    return round(parts, 5)


def nearness(layer: str) -> int:
    """0 is nearest."""
    return LAYERS.index(layer) if layer in LAYERS else len(LAYERS)
