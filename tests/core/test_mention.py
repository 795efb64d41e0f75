"""What a prompt names: the same thing in many spellings, and not what is only near to it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.mention import KEY, Prompt, is_same, plural, spellings

NAMED = {
    "payment gateway": [
        *("payment gateway", "The Payment Gateway.", "PAYMENT  GATEWAY", "payment-gateway"),
        *("payment_gateway", "PaymentGateway", "paymentGateway()", "paymentgateway"),
        *(
            "payment gateways",
            "the payment gateway's logs",
            "`payment-gateways`",
            "payment\ngateway",
        ),
        *("class PaymentGatewayClient", "PAYMENT_GATEWAY_URL", "a “payment gateway”?"),
    ],
    "OpenSearch": [
        *("OpenSearch", "opensearch", "open search", "open-search", "Opensearch's", "OPENSEARCH"),
        *("openSearch", "open_search", "[OpenSearch](x)", "(opensearch)", "opensearch:9200"),
    ],
    "opensearch": ["OpenSearch", "open-search", "open_search", "opensearch!"],
    "Stripe": ["stripe", "STRIPE", "Stripe's", "Stripe’s", "stripe-js", "does stripe, or not"],
    "Acme Ltd": ["acme ltd", "ACME LTD.", "Acme's ltd", "acmeLtd", "acme, ltd"],
    "migrations": ["migrations", "a migration", "Migration:"],
    "policy": ["policies", "policy", "our policies'"],
    "branch": ["branches", "branch"],
    "API": ["the API", "APIs", "api", "API's", "rest-api"],
    "HTTPServer": ["HTTP server", "httpserver", "http_server", "HTTPServers", "HttpServer"],
    "Node.js": ["node.js", "nodejs", "Node JS", "NodeJS"],
    "C++": ["c++", "in C++,", "C++?"],
    "OAuth 2": ["oauth2", "OAuth2", "oauth-2", "OAuth 2"],
    "Café Zürich": ["cafe zurich", "Cafe\u0301 ZÜRICH", "cafe-zurich", "CaféZürich"],
    "決済": ["決済の設定", "この決済を直して", "決済"],
    "결제": ["결제를 고쳐줘", "결제"],
    "Straße": ["strasse", "STRASSE", "Straße"],
    "платёж": ["Платеж", "ПЛАТЁЖ!"],
}
NOT_NAMED = {
    "payment gateway": [
        *("payment", "gateway", "gateway payment", "repayment gateway", "payment gatewayed"),
        *("payment and gateway", "prepaymentGateway", "payments gateway"),
    ],
    "OpenSearch": ["open the search", "reopen search", "open searching", "research"],
    "opensearch": ["open search", "xopensearch", "opensearchable"],
    "Stripe": [
        "stripes",
        "striped",
        "pinstripe",
        "stripeKey",
        "str ipe",
        "stripe_key",
        "MyStripe",
        "strip",
    ],
    "Windows": ["the modal window", "windowed"],
    "news": ["something new"],
    "release": ["prerelease", "released", "releaseLock()", "release_lock", "re lease"],
    "notable": ["not able", "no table"],
    "API": ["apiary", "rapid", "A. P. I"],
    "C++": ["C", "c", "C#", "vitamin C + D"],
    "C": ["C++", "C#"],
    "iOS": ["studios", "audioIOSettings", "curiosity"],
    "決済": ["決定済み", "済決"],
    "?": ["?", "", "what?"],
}


@pytest.mark.parametrize("phrase", NAMED)
def test_a_spelling_names_it(phrase: str) -> None:
    assert [text for text in NAMED[phrase] if not Prompt(text).names(phrase)] == []
    inside = [f"please look at {text} now" for text in NAMED[phrase]]
    assert [text for text in inside if not Prompt(text).names(phrase)] == []


@pytest.mark.parametrize("phrase", NOT_NAMED)
def test_what_is_near_does_not_name_it(phrase: str) -> None:
    assert Prompt(phrase).names(phrase) is (phrase != "?")
    assert [text for text in NOT_NAMED[phrase] if Prompt(text).names(phrase)] == []


def test_a_name_is_the_same_in_any_spelling_and_no_part_of_another() -> None:
    assert is_same("Payment Gateway", "payment-gateways")
    assert is_same("GitHub", "github")
    assert not is_same("Payment Gateway", "payment")
    assert not is_same("Payment", "payment gateway")


@pytest.mark.parametrize(
    ("word", "many"),
    [
        *(("api", "apis"), ("class", "classes"), ("box", "boxes"), ("policy", "policies")),
        *(("key", "keys"), ("patch", "patches"), ("決済", "決済"), ("s3", "s3"), ("", "")),
    ],
)
def test_plurals_are_the_regular_ones(word: str, many: str) -> None:
    assert plural(word) == many


WORDS = st.lists(
    st.sampled_from(["a", "Bc", "rel", "relX", "x_y", "é", "日", "s", "'s", "C#", "i.e"])
)
JOINED = st.builds(lambda words, by: by.join(words), WORDS, st.sampled_from([" ", "-", "", ", "]))


@settings(max_examples=200, deadline=None)
@given(JOINED, JOINED)
def test_what_is_named_is_found_by_its_key(text: str, phrase: str) -> None:
    prompt = Prompt(text)
    keys = prompt.keys()
    spelled, is_loose = spellings(phrase)
    for spelling in spelled:
        by_key = prompt.has(spelling, is_loose, keys.get(spelling[:KEY], []))
        assert by_key == prompt.has(spelling, is_loose)


@settings(max_examples=200, deadline=None)
@given(JOINED)
def test_a_text_names_itself(text: str) -> None:
    assert Prompt(text).names(text) is bool(Prompt(text).text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30), st.text(max_size=6))
def test_any_text_may_be_asked(text: str, phrase: str) -> None:
    assert Prompt(text).names(phrase) in (True, False)
    assert Prompt(f"{phrase} {text} {phrase}").names(phrase) is bool(spellings(phrase)[0])
