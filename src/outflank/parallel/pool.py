"""Memory for frames: a list per worker, and a second list on which other workers return that worker's frames.

The owner takes the second list whole when the first is empty, so that no frame is ever taken from a list while another
worker reads it.
"""

from outflank.kernels.atomics import compare_exchange, exchange, load
from outflank.kernels.bits import Int
from outflank.kernels.compiler import inner
from outflank.parallel.shared_state import Crew, Hand, frame_at, hand_of


@inner
def take_frame(hand: Hand) -> Int:
    """Return the address of an unused frame; 0: there is none, and the node is not divided."""
    address = hand.free
    if address == 0:
        address = exchange(hand, "returned", 0)  # race: with a worker that reads the head, and will fail to replace it
        if address == 0:
            hand.shortages += 1
            return address
    hand.free = frame_at(address).link
    hand.frames += 1
    return address


@inner
def release(crew: Crew, hand: Hand, address: int) -> None:
    """Return a frame to its pool, once no worker is in it."""
    frame = frame_at(address)
    hand.released += 1
    if frame.owner == hand.id:
        frame.link = hand.free
        hand.free = address
        return
    owner = hand_of(crew, frame.owner)
    while True:
        head = load(owner, "returned", "relaxed")  # race: the compare-exchange fails if the head has changed
        frame.link = head
        if compare_exchange(owner, "returned", head, address):  # race: with others that read the head
            break
