"""The keys and tokens of known services, by the shape that each service documents.

Only data. Nothing here may be learnt from a set of examples: a shape belongs here when its issuer
says so. The words after a pattern are literal parts of it, in its case.
"""

from gitmem.gates.secret_rule import (
    anything,
    context,
    entropy,
    is_mixed,
    is_no_filler,
    is_no_sample,
    is_no_stand_in,
    is_no_word,
    is_random,
    token,
)

_HEX = "[0-9a-f]"
_B62 = "[A-Za-z0-9]"
_B64URL = r"[A-Za-z0-9_-]"

CLOUDS = (
    token(
        "AWS access key",
        r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[A-Z0-9]{16}",
        *("A3T", "ABIA", "ACCA", "AKIA", "ASIA"),
        is_real=is_no_sample,
    ),
    token(
        "AWS Bedrock key",
        r"ABSK[A-Za-z0-9+/]{109,269}={0,2}(?![A-Za-z0-9+/=])|bedrock-api-key-[A-Za-z0-9+/=]{40,}",
        *("ABSK", "bedrock-api-key-"),
        is_real=anything,
    ),
    token("Google API key", rf"AIza{_B64URL}{{35}}", "AIza", is_real=is_random),
    token(
        "Google OAuth secret",
        rf"GOCSPX-{_B64URL}{{28}}|ya29\.{_B64URL}{{30,}}",
        *("GOCSPX-", "ya29."),
    ),
    token(
        "Azure client secret",
        r"[\w~.]{3}\dQ~[\w~.-]{31,34}",
        "Q~",
    ),
    context(
        "Azure storage key",
        r"AccountKey\s*=\s*(?P<value>[A-Za-z0-9+/]{86}==)",
        "accountkey",
        is_real=is_random,
    ),
    token("Alibaba Cloud key", rf"LTAI{_B62}{{20}}", "LTAI"),
    token("Tencent Cloud key", rf"AKID{_B62}{{32}}", "AKID"),
    token("DigitalOcean token", rf"do[opr]_v1_{_HEX}{{64}}", "_v1_"),
    token("Heroku key", rf"HRKU-{_B64URL}{{36,}}", "HRKU-"),
    token(
        "Fly.io token",
        rf"fo1_{_B64URL}{{43}}|fm1[ar]_[A-Za-z0-9+/]{{100,}}={{0,3}}|fm2_[A-Za-z0-9+/]{{100,}}={{0,3}}",
        *("fo1_", "fm1a_", "fm1r_", "fm2_"),
    ),
    token("Cloudflare key", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{146}}", "v1.0-"),
    token("Netlify token", rf"nfp_{_B62}{{36}}", "nfp_"),
    token(
        "Vault token",
        rf"hv[sbr]\.{_B64URL}{{24,}}|(?<!\.)s\.{_B62}{{24}}",
        *("hvs.", "hvb.", "hvr.", *(f"{mark}s." for mark in " \n\t=:'\"`")),
        is_real=is_mixed,
    ),
    token("Terraform token", rf"{_B62}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{60,70}}", ".atlasv1."),
    token("Pulumi token", rf"pul-{_HEX}{{40}}", "pul-"),
    token("Doppler token", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]*{_B62}{{40,44}}", "dp."),
    token("Databricks token", rf"dapi{_HEX}{{32}}(?:-\d)?", "dapi"),
    token("OpenShift token", rf"sha256~{_B64URL}{{43}}", "sha256~"),
    token("ClickHouse key", rf"4b1d{_B62}{{38}}", "4b1d"),
    token("Yandex Cloud key", rf"AQVN{_B64URL}{{35,38}}|YC[a-zA-Z]{{2}}{_B64URL}{{36}}", "AQVN"),
    token("PlanetScale token", r"pscale_(?:tkn|pw|oauth)_[\w=.-]{32,64}", "pscale_"),
    token("Supabase key", rf"sbp_{_HEX}{{40}}|sb_secret_{_B64URL}{{30,}}", *("sbp_", "sb_secret_")),
    token("Tailscale key", rf"tskey-[a-z]+-{_B62}{{6,}}-{_B62}{{20,}}", "tskey-"),
)

MODELS = (
    token("Anthropic key", rf"sk-ant-[a-z]+\d\d-{_B64URL}{{80,120}}AA", "sk-ant-"),
    token(
        "OpenAI key",
        rf"sk-(?:(?:proj|svcacct|admin|service)-)?{_B64URL}{{20,}}T3BlbkFJ{_B64URL}{{20,}}"
        rf"|sk-(?:proj|svcacct|admin)-{_B64URL}{{60,}}|sk-{_B62}{{48}}",
        "sk-",
    ),
    token("OpenRouter key", rf"sk-or-v1-{_HEX}{{64}}", "sk-or-v1-"),
    token("DeepSeek key", rf"sk-{_HEX}{{32}}", "sk-", is_real=is_random),
    token("Groq key", rf"gsk_{_B62}{{48,56}}", "gsk_"),
    token("xAI key", rf"xai-{_B62}{{70,90}}", "xai-"),
    token("Perplexity key", rf"pplx-{_B62}{{48}}", "pplx-"),
    token("Replicate token", rf"r8_{_B62}{{37}}", "r8_"),
    token(
        "Hugging Face token",
        rf"(?:hf|api_org)_{_B62}{{34}}",
        *("hf_", "api_org_"),
        is_real=lambda value: is_no_stand_in(value) and entropy(value) > 3.5,
    ),
    token("LangSmith key", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}", "lsv2_"),
)

FORGES = (
    token(
        "GitHub token",
        rf"gh[pousr]_{_B62}{{36,}}|github_pat_\w{{60,}}",
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    ),
    token(
        "GitLab token",
        rf"(?:glpat|gldt|glft|glrt|glsoat|glffct|glcbt)-{_B64URL}{{20,}}|glptt-{_B64URL}{{40}}(?!-)"
        rf"|gloas-{_B64URL}{{64}}|glimt-{_B64URL}{{25}}(?!-)|glagent-{_B64URL}{{50,}}"
        rf"|GR1348941{_B64URL}{{20,}}",
        *("glpat-", "gldt-", "glft-", "glrt-", "glsoat-", "glffct-", "glcbt-", "glptt-"),
        *("gloas-", "glimt-", "glagent-", "GR1348941"),
        is_real=is_no_filler,
    ),
    token(
        "Atlassian token",
        r"AT[AC]TT3[A-Za-z0-9_=-]{100,}|ATBB[A-Za-z0-9]{32}|ATTA[0-9a-f]{60,}",
        *("TT3", "ATBB", "ATTA"),
    ),
    token("npm token", rf"npm_{_B62}{{36}}", "npm_"),
    context(
        "npm registry token",
        r"//[^\s/:]+[^\s:]*/:_(?:authToken|auth|password)\s*=\s*(?P<value>[\w.+/=-]{10,})",
        *("_auth", "_password"),
        is_real=anything,
    ),
    token("PyPI token", rf"pypi-AgE[A-Za-z0-9]{_B64URL}{{90,}}", "pypi-AgE"),
    token("RubyGems key", rf"rubygems_{_HEX}{{48}}", "rubygems_"),
    token("Clojars token", rf"CLOJARS_{_B62}{{60}}", "CLOJARS_"),
    token("crates.io token", rf"cio{_B62}{{32}}", "cio", is_real=is_mixed),
    token("NuGet key", r"oy2[a-z0-9]{43}", "oy2"),
    token("Docker Hub token", rf"dckr_(?:pat|oat)_{_B64URL}{{27,}}", "dckr_"),
    token(
        "Artifactory token",
        rf"(?:AKC{_B62}{{10,}}|AP[0-9A-F]{_B62}{{10,}})",
        *("AKC", *(f"AP{digit}" for digit in "0123456789ABCDEF")),
        is_real=is_no_word,
    ),
    token("Artifactory reference token", rf"cmVmdGtu{_B62}{{56}}", "cmVmdGtu"),
    token("CircleCI token", rf"CCI(?:PAT|PRJ)_{_B62}{{22}}_{_HEX}{{40}}", "CCIP"),
    token("Buildkite token", rf"bkua_{_HEX}{{40}}", "bkua_"),
    token("Octopus Deploy key", r"API-[A-Z0-9]{26}", "API-", is_real=is_random),
    token(
        "Sourcegraph token",
        r"sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}",
        "sgp_",
        is_real=lambda value: entropy(value) >= 3,
    ),
    context(
        "Sourcegraph token",
        r"sourcegraph\W{1,5}(?P<value>[0-9a-f]{40})\b",
        "sourcegraph",
        is_real=is_random,
    ),
    token("SonarQube token", rf"sq[pua]_{_HEX}{{40}}", *("sqp_", "squ_", "sqa_")),
    token("Prefect key", r"pn[ub]_[a-z0-9]{36}", *("pnu_", "pnb_")),
    token("Postman key", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}", "PMAK-"),
    token("Sentry token", rf"sntryu_{_HEX}{{64}}|sntrys_eyJ[A-Za-z0-9+/=_-]{{80,}}", "sntry"),
    token("ReadMe key", r"rdme_[a-z0-9]{70}", "rdme_"),
)

SERVICES = (
    token(
        "Slack token",
        rf"xox[abeoprs]-(?:\d{{6,}}-){{1,3}}(?=[0-9]*[A-Za-z]){_B62}{{8,}}"
        rf"|xoxe(?:\.xox[bp])?-\d-{_B64URL}{{100,}}"
        rf"|xapp-\d-{_B62}{{8,}}-\d{{8,}}-{_B62}{{32,}}",
        *("xox", "xapp-"),
    ),
    context(
        "Slack webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[A-Za-z0-9+/]{40,60})",
        "hooks.slack.com",
        is_real=is_no_stand_in,
    ),
    token(
        "Discord bot token",
        # The first part is a decimal number in base 64.
        rf"(?:M[Tjz]|N[DTjz]|O[DT]){_B64URL}{{22,24}}\.{_B64URL}{{6}}\.{_B64URL}{{27,38}}",
        *("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"),
        is_real=is_mixed,
    ),
    context(
        "Discord webhook",
        r"discord(?:app)?\.com/api/webhooks/\d{17,20}/(?P<value>[\w-]{60,})",
        "/api/webhooks/",
        is_real=is_no_stand_in,
    ),
    context(
        "Teams webhook",
        r"[\w-]+\.webhook\.office\.com/webhookb2/(?P<value>[0-9a-f-]{36}@[0-9a-f-]{36}/\S{40,})",
        ".webhook.office.com",
        is_real=is_no_stand_in,
    ),
    token("Telegram bot token", rf"\d{{8,10}}:A{_B64URL}{{34}}", ":A"),
    token(
        "Stripe key",
        rf"[sr]k_(?:live|test|prod)_{_B62}{{10,99}}|whsec_[A-Za-z0-9+/]{{32,}}={{0,2}}",
        *("k_live_", "k_test_", "k_prod_", "whsec_"),
    ),
    token(
        "Square token",
        rf"sq0(?:atp|csp|idp)-{_B64URL}{{22,60}}|EAAA{_B64URL}{{60}}",
        *("sq0", "EAAA"),
    ),
    token("Shopify token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", "shp"),
    token(
        "Facebook token",
        rf"\d{{15,16}}\|{_B64URL}{{27}}|EAA[A-Z]{_B62}{{90,}}",
        *("|", "EAA"),
        is_real=is_mixed,
    ),
    token("Twilio key", r"(?:AC|SK)[a-z0-9]{32}", *("AC", "SK"), is_real=anything),
    token("SendGrid key", rf"SG\.{_B64URL}{{22}}\.{_B64URL}{{43}}", "SG."),
    token("Brevo key", rf"xkeysib-{_HEX}{{64}}-{_B62}{{16}}", "xkeysib-"),
    token("Mailgun key", rf"(?:pub)?key-{_HEX}{{32}}", "key-"),
    token("Mailchimp key", rf"{_HEX}{{32}}-us\d{{1,2}}", "-us"),
    token(
        "Notion token", rf"ntn_\d{{11}}{_B62}{{32,35}}|secret_{_B62}{{43}}", *("ntn_", "secret_")
    ),
    token("Linear key", rf"lin_(?:api|oauth)_{_B62}{{40,64}}", "lin_"),
    token("Airtable token", rf"pat{_B62}{{14}}\.{_HEX}{{64}}", "pat"),
    token("Figma token", rf"fig[dour]_{_B64URL}{{40,}}", *("figd_", "figo_", "figu_", "figr_")),
    token(
        "Grafana token",
        rf"glc_[A-Za-z0-9+/]{{32,400}}={{0,3}}|glsa_{_B62}{{32}}_[0-9a-fA-F]{{8}}",
        *("glc_", "glsa_"),
        is_real=is_mixed,
    ),
    token(
        "New Relic key",
        rf"NR(?:AK-[A-Z0-9]{{27}}|II-{_B64URL}{{32}}|JS-{_HEX}{{19}})",
        *("NRAK-", "NRII-", "NRJS-"),
    ),
    token("Dynatrace token", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}", "dt0"),
    token("PostHog key", rf"ph[cx]_{_B62}{{43}}", *("phc_", "phx_")),
    token(
        "Plaid token",
        rf"access-(?:sandbox|development|production)-{_HEX}{{8}}-[0-9a-f-]{{27}}",
        "access-",
    ),
    token("EasyPost key", rf"(?<![+/])EZ[AT]K{_B62}{{54}}", *("EZAK", "EZTK")),
    token("Shippo token", rf"shippo_(?:live|test)_{_HEX}{{40}}", "shippo_"),
    token("Duffel token", r"duffel_(?:live|test)_[\w=-]{43}", "duffel_"),
    token("Typeform token", r"tfp_[\w.=-]{59}", "tfp_"),
    token("Contentful token", rf"CFPAT-{_B64URL}{{43}}", "CFPAT-"),
    token("Adobe secret", r"p8e-[a-zA-Z0-9]{32}", "p8e-"),
    token("Flutterwave key", r"FLW(?:PUBK|SECK)(?:_TEST)?-[0-9a-zA-Z]{12,32}-X", "FLW"),
    token("Infracost key", rf"(?<!\.)ico-{_B62}{{32}}", "ico-"),
    token("MaxMind key", rf"{_B62}{{6}}_{_B62}{{29}}_mmk", "_mmk"),
    token("Intra42 secret", rf"s-s4t2(?:ud|af)-{_HEX}{{64}}", "s-s4t2"),
    token(
        "Harness token", rf"[ps]at\.{_B64URL}{{22}}\.{_HEX}{{24}}\.{_B62}{{20}}", *("pat.", "sat.")
    ),
    token("Frame.io token", r"fio-u-[\w=-]{64}", "fio-u-"),
    token("Scalingo token", rf"tk-us-{_B64URL}{{48}}", "tk-us-"),
    token("SettleMint token", rf"sm_[aps]at_{_B62}{{16}}", "sm_"),
    token("1Password service token", r"ops_eyJ[A-Za-z0-9+/_=-]{200,}", "ops_eyJ", is_real=anything),
    token(
        "1Password secret key",
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
        "A3-",
        is_real=lambda value: is_no_stand_in(value) and entropy(value) > 3.5,
    ),
    token("age key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}", "AGE-SECRET-KEY-"),
)

TOKENS = (*CLOUDS, *MODELS, *FORGES, *SERVICES)
