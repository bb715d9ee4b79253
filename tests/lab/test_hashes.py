"""Hash functions that the laboratory compares."""

import zlib

import numpy as np
import pytest

from outflank import lab
from outflank.errors import InvalidOption, UnknownName
from outflank.lab.experiment import experiment_named
from outflank.lab.measuring import hashes

BITS = 12
RANDOM = np.random.default_rng(7).integers(0, 1 << 63, (2, 4000), np.uint64)


@pytest.fixture
def own(monkeypatch):
    """Hashes that are registered here are forgotten afterwards."""
    monkeypatch.setattr(hashes, "_hashes", dict(hashes._hashes))


def test_there_are_a_dozen_and_zobrists_is_one():
    assert len(hashes.hashes()) >= 12
    assert {"outflank", "Zobrist"} <= set(hashes.hashes())


@pytest.mark.parametrize("name", hashes.hashes())
def test_a_hash_gives_every_board_a_slot_and_the_same_one_again(name):
    found = hashes.slots(name, *RANDOM, BITS)
    assert found.min() >= 0
    assert found.max() < 1 << BITS
    assert (hashes.slots(name, *RANDOM, BITS) == found).all()
    # Random boards are no test of a hash: every one of them spreads those as chance does.
    free = len(np.unique(found)) / len(found)
    assert free == pytest.approx((1 << BITS) / 4000 * (1 - np.exp(-4000 / (1 << BITS))), abs=0.05)


@pytest.mark.interpreted_only
def test_known_functions_are_those():
    first, second = np.array([0x6867666564636261], np.uint64), np.array([0x706F6E6D6C6B6A69], np.uint64)
    text = b"abcdefghijklmnop"
    assert hashes.slots("CRC-32", first, second, 32)[0] == zlib.crc32(text)
    number = int(first[0]) << 64 | int(second[0])
    assert hashes.slots("modulo a prime", first, second, 20)[0] == number % 1048573
    jenkins = 0
    for byte in text:
        jenkins = (jenkins + byte) * 1025 % 2**32
        jenkins ^= jenkins >> 6
    jenkins = jenkins * 9 % 2**32
    jenkins = (jenkins ^ jenkins >> 11) * 32769 % 2**32
    assert hashes.slots("one at a time", first, second, 32)[0] == jenkins


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda first, second, bits: first, "expected slots from 0 to 4095"),
        (lambda first, second, bits: first[:3], "expected 4000 whole numbers"),
        (lambda first, second, bits: first / 2, "expected 4000 whole numbers"),
    ],
)
def test_what_is_no_slot_is_refused(own, wrong, says):
    lab.register_hash("mine", wrong)
    with pytest.raises(InvalidOption, match=says):
        hashes.slots("mine", *RANDOM, BITS)


@pytest.mark.interpreted_only
def test_one_of_ones_own_can_be_named(own):
    choice = experiment_named("hash").parameters
    with pytest.raises(UnknownName, match="mine"):
        choice(hashes=("mine",))
    lab.register_hash("mine", lambda first, second, bits: np.zeros_like(first))
    assert choice(hashes=("mine", "Zobrist")).hash_names == ("mine", "Zobrist")
    assert "mine" in choice().hash_names
