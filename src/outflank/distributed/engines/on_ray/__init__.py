"""Nodes that are actors of Ray: on this machine, or one on each of several.

`connection` is this process in a cluster: a private instance for one machine, or a way into a running one.
`membership` keeps clusters of several machines, with `processes`, `tokens` and `head_client`, which asks a head without
Ray's own clients. `directories` are where Ray works; a `guardian` clears them when this process is killed.

Whoever may talk to Ray runs programs as its user. So nothing here starts or enters a cluster that does not ask for a
token, and what serves one machine listens on its loopback interface only. Ray 2.60 by itself does otherwise; every
departure from it is in `ray_start`.
"""
