"""The common ways to write a credential down, whoever issued it. Only data.

The group `value` of a pattern is the credential, the rest is what gives it away. The words after a
pattern are literal parts of it, in lower case where the pattern ignores case.
"""

from gitmem.gates.secret_rule import (
    context,
    is_jwt,
    is_login,
    is_no_stand_in,
    is_password,
    is_random,
    is_strong_password,
    token,
)

FORMS = (
    context(
        "private key",
        r"-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*"
        r"(?:[\w-]+: [^\n]*\n\s*)*(?P<value>[A-Za-z0-9+/=]{20,})",
        "private key",
        is_real=is_no_stand_in,
    ),
    token(
        "JSON web token",
        r"eyJ[A-Za-z0-9_-]{14,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?",
        "eyJ",
        is_real=is_jwt,
    ),
    context(
        "password in an address",
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"`<>{}]*:(?P<value>[^\s:/@'\"`]{3,200})@[\w.\[-]",
        "://",
        is_real=is_password,
    ),
    context(
        "password on a curl command line",
        r"\bcurl\b(?:[^\n]|\\\n){0,300}?\s(?:-u|--user)[ =]?\s*"
        r"['\"]?(?P<value>[^\s'\"$<{:]+:['\"]?[^\s'\"]*)",
        "curl",
        is_real=is_login,
    ),
    context(
        "credential in a curl header",
        r"\bcurl\b(?:[^\n]|\\\n|\n[ \t]+-){0,400}?\s(?:-H|--header)[ =]?['\"]"
        r"(?:Authorization:\s*(?:(?:Basic|Bearer|Token|ApiKey)\s+)?"
        r"|[\w-]*(?:Token|Api-?Key|Secret|Auth)[\w-]*:\s*)(?P<value>[^'\"\s]{8,})['\"]",
        "curl",
        is_real=is_password,
    ),
    context(
        "credential in a header",
        r"\bAuthorization['\"]?\s*[:=]\s*['\"]?(?:Basic|Bearer|Token)\s+(?P<value>[\w.~+/=-]{16,})",
        "authorization",
        is_real=is_random,
    ),
    context(
        "credential in an assignment",
        r"(?<!public)(?<!public[_-])(?:secret|token|(?:api|access|auth|private|secret|encryption)"
        r"[-_.]?key)['\"]?\s{0,3}(?::=|=>|=|:)\s{0,3}"
        r"['\"]?(?P<value>[\w.~+/=-]{16,200})(?![\w(\[{])",
        *("secret", "token", "key"),
        is_real=is_random,
    ),
    context(
        "password in an assignment",
        r"(?:password|passwd|passphrase|pwd)['\"]?\s{0,3}(?::=|=>|=|:)\s{0,3}"
        r"(?P<mark>['\"]?)(?P<value>[^\s'\"`,;]{8,100})(?P=mark)(?![\w(])",
        *("passw", "passphrase", "pwd"),
        is_real=is_strong_password,
    ),
)
