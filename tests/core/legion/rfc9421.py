"""The test vectors of RFC 9421, appendix B, as published.

https://www.rfc-editor.org/rfc/rfc9421.html#appendix-B
The keys are those of the RFC: everybody knows them.
"""

import base64
from typing import Final

RSA_PSS_PUBLIC: Final = b"""-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
+QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
2wIDAQAB
-----END PUBLIC KEY-----
"""

ECC_P256_PUBLIC: Final = b"""-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
-----END PUBLIC KEY-----
"""

ED25519_PUBLIC: Final = b"""-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
-----END PUBLIC KEY-----
"""

ED25519_PRIVATE: Final = b"""-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
"""

SHARED_SECRET: Final = base64.b64decode(
    "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi"
    "6pcl8jsasjlTMtDQ=="
)


REQUEST_HEADERS: Final = (
    ("Host", "example.com"),
    ("Date", "Tue, 20 Apr 2021 02:07:55 GMT"),
    ("Content-Type", "application/json"),
    (
        "Content-Digest",
        "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu"
        "7BNNyealdVLvRwEmTHWXvJwew==:",
    ),
    ("Content-Length", "18"),
)

RESPONSE_HEADERS: Final = (
    ("Date", "Tue, 20 Apr 2021 02:07:56 GMT"),
    ("Content-Type", "application/json"),
    (
        "Content-Digest",
        "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69"
        "wWdXymyU0rjJuahq4l5aGgfLQ==:",
    ),
    ("Content-Length", "23"),
)

TTRP_HEADERS: Final = (
    ("Host", "service.internal.example"),
    ("Date", "Tue, 20 Apr 2021 02:07:55 GMT"),
    ("Content-Type", "application/json"),
    ("Content-Length", "18"),
    (
        "Client-Cert",
        ":MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZ"
        "W50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVybWVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzN"
        "aFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZIzj0CAQYIKoZIzj0DA"
        "QcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aE"
        "AEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lb"
        "EYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQY"
        "DVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1v"
        "aL6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydB"
        "VoU4hBVZ1yhk=:",
    ),
)

REQUEST_BODY: Final = b'{"hello": "world"}'
RESPONSE_BODY: Final = b'{"message": "good dog"}'
REQUEST_URL: Final = "https://example.com/foo?param=Value&Pet=dog"
TTRP_URL: Final = "https://service.internal.example/foo?param=Value&Pet=dog"

# Number, algorithm, message (request, response or ttrp), Signature-Input, Signature.
SIGNATURES: Final = (
    (
        "B.2.1",
        "RSA_PSS_SHA512",
        "request",
        'sig-b21=();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k'
        '7z-50gnwp.yemd"',
        "d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31"
        "Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4d"
        "zVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE"
        "+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6"
        "d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==",
    ),
    (
        "B.2.2",
        "RSA_PSS_SHA512",
        "request",
        'sig-b22=("@authority" "content-digest" "@query-param";name="Pet");crea'
        'ted=1618884473;keyid="test-key-rsa-pss";tag="header-example"',
        "LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlA"
        "Jjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQ"
        "ibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQ"
        "h62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsU"
        "RIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==",
    ),
    (
        "B.2.3",
        "RSA_PSS_SHA512",
        "request",
        'sig-b23=("date" "@method" "@path" "@query" "@authority" "content-type"'
        ' "content-digest" "content-length");created=1618884473;keyid="test-key'
        '-rsa-pss"',
        "bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1r"
        "IRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmm"
        "e9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE"
        "9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61"
        "ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==",
    ),
    (
        "B.2.4",
        "ECDSA_P256_SHA256",
        "response",
        'sig-b24=("@status" "content-type" "content-digest" "content-length");c'
        'reated=1618884473;keyid="test-key-ecc-p256"',
        "wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCd"
        "lYUEkLIj+32oiasw==",
    ),
    (
        "B.2.5",
        "HMAC_SHA256",
        "request",
        'sig-b25=("date" "@authority" "content-type");created=1618884473;keyid='
        '"test-shared-secret"',
        "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=",
    ),
    (
        "B.2.6",
        "ED25519",
        "request",
        'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content'
        '-length");created=1618884473;keyid="test-key-ed25519"',
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6v"
        "uQv5lIp5WPpBKRCw==",
    ),
    (
        "B.3",
        "ECDSA_P256_SHA256",
        "ttrp",
        'ttrp=("@path" "@query" "@method" "@authority" "client-cert");created=1'
        '618884473;keyid="test-key-ecc-p256"',
        "xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD"
        "9ah4JHRwMLOgmizw==",
    ),
)

# B.4: a signature, and messages that were changed on their way.
TRANSFORM_INPUT: Final = (
    'transform=("@method" "@path" "@authority" "accept");created=1618884473'
    ';keyid="test-key-ed25519"'
)
TRANSFORM_SIGNATURE: Final = (
    "ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFF"
    "Q6cpLt2m0pmj3NDA=="
)
# Name, headers, method, URL, whether the signature still holds.
TRANSFORMED: Final = (
    (
        "orig",
        (
            ("Host", "example.org"),
            ("Date", "Fri, 15 Jul 2022 14:24:55 GMT"),
            ("Accept", "application/json"),
            ("Accept", "*/*"),
        ),
        "GET",
        "https://example.org/demo?name1=Value1&Name2=value2",
        True,
    ),
    (
        "t1",
        (
            ("Host", "example.org"),
            ("Date", "Fri, 15 Jul 2022 14:24:55 GMT"),
            ("Accept", "application/json"),
            ("Accept", "*/*"),
            ("Accept-Language", "en-US,en;q=0.5"),
        ),
        "GET",
        "https://example.org/demo?name1=Value1&Name2=value2&param=added",
        True,
    ),
    (
        "t2",
        (
            ("Host", "example.org"),
            ("Referer", "https://developer.example.org/demo"),
            ("Accept", "application/json, */*"),
        ),
        "GET",
        "https://example.org/demo?name1=Value1&Name2=value2",
        True,
    ),
    (
        "t3",
        (
            ("Accept", "application/json"),
            ("Accept", "*/*"),
            ("Date", "Fri, 15 Jul 2022 14:24:55 GMT"),
            ("Host", "example.org"),
        ),
        "GET",
        "https://example.org/demo?name1=Value1&Name2=value2",
        True,
    ),
    (
        "x1",
        (
            ("Host", "example.com"),
            ("Date", "Fri, 15 Jul 2022 14:24:55 GMT"),
            ("Accept", "application/json"),
            ("Accept", "*/*"),
        ),
        "POST",
        "https://example.com/demo?name1=Value1&Name2=value2",
        False,
    ),
    (
        "x2",
        (
            ("Host", "example.org"),
            ("Date", "Fri, 15 Jul 2022 14:24:55 GMT"),
            ("Accept", "*/*"),
            ("Accept", "application/json"),
        ),
        "GET",
        "https://example.org/demo?name1=Value1&Name2=value2",
        False,
    ),
)
