"""Model solution of assignment 6: replication of deep table entries in batches."""

ASSIGNMENT = 6

REPLICATION = "async:depth=2,batch=500"
THRESHOLD = 6


class Node:
    """One node of a cluster: its table, and the entries that the other nodes do not have yet."""

    def __init__(self, number, nodes, depth, batch):
        self.others = [other for other in range(nodes) if other != number]
        self.depth, self.batch = depth, batch
        self.table, self.buffer = {}, []

    def probe(self, key):
        return self.table.get(key)

    def _improve(self, key, depth, value):
        """Store an entry unless the table has one as deep; return whether it was stored."""
        if key in self.table and self.table[key][0] >= depth:
            return False
        self.table[key] = depth, value
        return True

    def store(self, key, depth, value):
        if self._improve(key, depth, value) and depth >= self.depth:
            self.buffer.append((key, depth, value))
        return self.flush() if len(self.buffer) == self.batch else []

    def receive(self, entries):
        for entry in entries:
            self._improve(*entry)
        return []

    def flush(self):
        entries, self.buffer = tuple(self.buffer), []
        return [(other, entries) for other in self.others] if entries else []


def best_depth(rows, batch, nodes, message_us):
    """Return the least depth of replicated entries that gains most: time that hits save less that of messages."""

    def gain(least):
        sent = [row for row in rows if row[0] >= least]
        messages = -(-sum(entries for _, entries, _, _ in sent) // batch) * (nodes - 1)
        return sum(hits * saved for _, _, hits, saved in sent) - messages * message_us

    depths = [depth for depth, *_ in rows]
    return max(reversed([*depths, max(depths) + 1]), key=gain)
