"""The engine whose nodes are Ray actors: several on this machine, or one on each machine of a cluster.

`ray_connection` connects this process to a private Ray instance or to a running cluster. `membership` starts and ends
the members of clusters of several machines, with `tokens` for access and `head_client` for queries to a head without
Ray's own clients. `ray_directories` has Ray's working directories; a `guardian` process removes them if this process is
killed.

Every client of Ray can run programs as Ray's user. So this package never starts or enters a cluster that does not
require a token, and a private instance listens only on the loopback interface. By default Ray 2.60 requires no token
and listens on all interfaces; `ray_start` changes that.
"""
