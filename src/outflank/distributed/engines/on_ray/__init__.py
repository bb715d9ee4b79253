"""Nodes that are actors of Ray: on this machine, or one on each of several.

`connection` connects this process to a cluster: to a private instance on one machine, or to a running cluster.
`membership` manages clusters of several machines, with `processes`, `tokens` and `head_client`, which queries a head
without Ray's own clients. `directories` are Ray's working directories; a `guardian` removes them when this process is
killed.

Every client of Ray can run programs as Ray's user. So this package never starts or enters a cluster that does not
require a token, and an instance for one machine listens on its loopback interface only. Ray 2.60 by itself does
otherwise; every departure from it is in `ray_start`.
"""
