"""Keys in NKEY text form: the same as NATS' own, and never a wrong one."""

import base64
import copy
import pickle

from hypothesis import given, strategies as st
import pytest

from custom_components.caesar.legion.keys import (
    Identity,
    KeyTextError,
    public_bytes,
    public_key,
    public_text,
)

# Seed, public key and the signature of b"legion", made with nkeys 0.2.1 of NATS (the
# last pair: from the documents of NATS).
VECTORS = (
    (
        "SUADCEYJODPSSEXOLRR43LTDKLVO2NSKVFV4GNEDA52BXUZW7IGPK5E6H4",
        "UCTNLAWYYH7TGFX4JY46IMTBYSFXDA2NX55JDRTR3NCNFEHWJ5RCVETX",
        "ETWauHTdnLo6m3Dw0rqxTrSq4tUcT7M+JEN0K2nPw5ewx4hR1YBvvF1almD0zbWjc2YgKErY5pdOBgyf"
        "HOigBw==",
    ),
    (
        "SUAP3X7JMYFRV2JUI7TCWJKJJ6Z34LNYAWOOGWIJCHOOU2LALCGI6RMNCY",
        "UBK6WJUE26PGM2ZVQCG4XMLATDBL7VL62UX46SR4HVBPZYGRFXRRIA3C",
        "7X46whkh0SdG3qRy9QC4GOjmcj9gPjmoF5XA30xL+T4aL3Dk2Q5YV3yMHg4EOzjPjaVmXBimiz567bjs"
        "fWiuCw==",
    ),
    (
        "SUAPUDDWQMPFAFC2LUBIZWUQQNO4KX5KQEVR7PWTNC4URNASCWQNLTSMLI",
        "UDWPDVDWN3BPT23ZIEZVB7SLDVVPNNVDDTB5QUC3NBRFY3MLC5TDAXFH",
        "bmcvmdGgPo20jIzfRRN0/gTp2j00XwITnuDKCLshOkoINlec29P4n5TUg5XU9K84ODsA/hZrJ5v2Xj+O"
        "Jl8PDQ==",
    ),
)
NATS_DOCUMENTS = (
    "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY",
    "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
)
SEED, PUBLIC, _ = VECTORS[0]
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


@pytest.mark.parametrize(("seed", "public", "signature"), VECTORS)
def test_keys_are_those_of_nats(seed: str, public: str, signature: str) -> None:
    """Seed, public key and signature are what the library of NATS makes of them."""
    identity = Identity.from_seed(seed)

    assert identity.seed == seed
    assert identity.public_key == public
    assert base64.b64encode(identity.sign(b"legion")).decode() == signature
    public_key(public).verify(identity.sign(b"x"), b"x")
    assert public_text(public_bytes(public)) == public


def test_the_key_in_the_documents_of_nats() -> None:
    """So is the pair that NATS publishes."""
    seed, public = NATS_DOCUMENTS
    assert Identity.from_seed(seed).public_key == public


@given(st.binary(min_size=32, max_size=32))
def test_every_key_survives_its_text(raw: bytes) -> None:
    """A key's text leads back to it."""
    identity = Identity(raw)
    assert Identity.from_seed(identity.seed).public_key == identity.public_key
    assert public_text(public_bytes(identity.public_key)) == identity.public_key


@given(st.integers(0, len(SEED) - 1), st.sampled_from(ALPHABET))
def test_a_mistyped_seed_is_refused(place: int, char: str) -> None:
    """One wrong character anywhere is noticed, and not repeated."""
    wrong = SEED[:place] + char + SEED[place + 1 :]
    if wrong == SEED:
        return
    with pytest.raises(KeyTextError) as caught:
        Identity.from_seed(wrong)
    assert wrong not in str(caught.value)


@given(st.integers(0, len(PUBLIC) - 1), st.sampled_from(ALPHABET))
def test_a_mistyped_public_key_is_refused(place: int, char: str) -> None:
    """One wrong character anywhere is noticed."""
    wrong = PUBLIC[:place] + char + PUBLIC[place + 1 :]
    if wrong == PUBLIC:
        return
    with pytest.raises(KeyTextError):
        public_bytes(wrong)


@given(st.text(max_size=80))
def test_any_text_is_a_key_or_an_error(text: str) -> None:
    """Nothing else is raised."""
    for read in (public_bytes, Identity.from_seed):
        with pytest.raises(KeyTextError):
            read(text)


@pytest.mark.parametrize(
    "text",
    [
        SEED.lower(),
        f" {SEED}",
        f"{SEED}\n",
        f"{SEED}======",
        SEED[:-1],
        f"{SEED}A",
        PUBLIC,
        "",
    ],
)
def test_a_seed_is_written_in_one_way(text: str) -> None:
    """No other case, no blanks, no padding, no public key."""
    with pytest.raises(KeyTextError):
        Identity.from_seed(text)


def test_a_seed_is_no_public_key() -> None:
    """A seed pasted in the wrong field is refused, without being repeated."""
    with pytest.raises(KeyTextError, match="begins with U") as caught:
        public_bytes(SEED)
    assert SEED not in str(caught.value)


def test_an_identity_does_not_show_its_seed() -> None:
    """Neither in a log nor by being copied into something else."""
    identity = Identity.from_seed(SEED)

    assert repr(identity) == str(identity) == f"Identity({PUBLIC})"
    with pytest.raises(TypeError):
        pickle.dumps(identity)
    with pytest.raises(TypeError):
        copy.copy(identity)


def test_identities_differ() -> None:
    """Each is new."""
    assert Identity.generate().seed != Identity.generate().seed
