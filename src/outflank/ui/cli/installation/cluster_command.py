"""`outflank cluster`: start, join and end clusters of machines with Ray."""

import click
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from outflank.command_lines import PROGRAM, command_line
from outflank.distributed.engines import ENGINES
from outflank.distributed.engines.on_ray import membership, ray_start
from outflank.ui.cli.shared.option_groups import Group
from outflank.ui.cli.shared.position_options import diagnostics, output, print_json
from outflank.validation.text import how_many

token_option = click.option(
    "--token-file", metavar="FILE", help="File of the cluster's token.  [~/.config/outflank/cluster-token]"
)


@click.group("cluster", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Start, join or end a cluster of machines.

    \b
      outflank cluster up --host 192.168.1.5            on one machine
      outflank cluster join 192.168.1.5:6379            on the others
      outflank search --cluster ray://192.168.1.5:6379  on any of them

    Anyone with the token can run programs on all machines. The traffic between the machines is encrypted only with
    --tls. docs/clusters.md says what kind of network a cluster requires.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("up", short_help="Start the head of a cluster here.")
@click.option("--host", default=ray_start.LOOPBACK, help="Address of this machine for the others.  [127.0.0.1]")
@click.option("--port", type=int, default=ray_start.PORT, help="Port of the head; 0 takes a free one.  [6379]")
@click.option("--cores", type=int, help="Cores of this machine that search.  [all]")
@click.option("--tls", is_flag=True, help="Encrypt the cluster's traffic; make an authority for its certificates.")
@token_option
def up_command(host: str, port: int, cores: int | None, tls: bool, token_file: str | None) -> int:
    """Start the head of a cluster on this machine, and create a token if there is none.

    With --tls, a certificate authority is created beside the token, unless there is one already. If the authority
    exists, clusters of several machines use TLS, and admit only machines that have a copy of the authority.
    """
    member = membership.up(host, port, cores, token_file, tls=tls)
    console = output()
    console.print(f"a cluster is up at {member.address} with {how_many(member.cores, 'core')}")
    console.print(f"its token is in {member.token_file}")
    if member.address.startswith(f"{ray_start.LOOPBACK}:"):
        console.print("only this machine reaches it; --host opens it to others")
    else:
        join = command_line([PROGRAM, "cluster", "join", member.address])
        if authority := membership.authority_of(member):
            console.print(f"its traffic is encrypted; the authority of its certificates is in {authority}")
        copies = "copies of the token and the authority" if authority else "a copy of the token"
        console.print(f"other machines, with {copies}: {join}")
        diagnostics().print(
            "outflank: note: Ray listens on every interface of this machine; keep it inside a network you trust"
        )
    return 0


@command.command("join", short_help="Add this machine to a cluster.")
@click.argument("address", metavar="HOST:PORT")
@click.option("--cores", type=int, help="Cores of this machine that search.  [all]")
@token_option
def join_command(address: str, cores: int | None, token_file: str | None) -> int:
    """Add this machine to a cluster. The cluster's token must have been copied here."""
    member = membership.join(address, cores, token_file)
    output().print(f"this machine is in the cluster at {member.address} with {how_many(member.cores, 'core')}")
    return 0


@command.command("status", short_help="Show the machines of a cluster.")
@click.argument("address", metavar="[HOST:PORT]", required=False)
@token_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status_command(address: str | None, token_file: str | None, as_json: bool) -> int:
    """Show the machines of a cluster, or of every cluster that this machine is in; status 1 if none answers."""
    clusters = membership.status(address, token_file)
    answering = [cluster for cluster in clusters if cluster.problem is None]
    if as_json:
        from outflank.ui.cli.shared.json_documents import ClusterStatusDocument
        from outflank.validation.documents import converted, plain

        print_json(converted(ClusterStatusDocument, {"clusters": plain(clusters)}))
        return 0 if answering else 1
    console = output()
    for cluster in clusters:
        if cluster.problem is not None:
            console.print(Text(f"{cluster.address}: {cluster.problem}", "red"))
            continue
        alive = [node for node in cluster.nodes if node.alive]
        cores = sum(node.cores for node in alive)
        console.print(f"{cluster.address}: {how_many(len(alive), 'node')}, {how_many(cores, 'core')}")
        for node in sorted(cluster.nodes, key=lambda node: (not node.alive, not node.head, node.host)):
            notes = [note for note, holds in (("head", node.head), ("left", not node.alive)) if holds]
            console.print(f"  {node.host:<15}  {how_many(node.cores, 'core'):>9}  {' '.join(notes)}".rstrip())
    if not clusters:
        console.print("this machine is in no cluster")
    return 0 if answering else 1


@command.command("down", short_help="Stop the cluster processes of this machine.")
@click.argument("address", metavar="[HOST:PORT]", required=False)
def down_command(address: str | None) -> int:
    """Stop the cluster processes that `up` and `join` started on this machine, for one cluster or for all."""
    ended = membership.down(address)
    for member in ended:
        action = "ended the cluster at" if member.head else "left the cluster at"
        output().print(f"{action} {member.address}")
    if not ended:
        output().print("nothing of ours runs here")
    return 0


@command.command("engines", short_help="List the cluster engines.")
def engines_command() -> int:
    """List the forms of --cluster, with the requirements and abilities of their engines."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("--cluster", "needs", "restarts", "joining", "token", "what it is"):
        grid.add_column(name, no_wrap=name != "what it is")
    for scheme, engine in ENGINES.parts().items():
        form, meaning = engine.forms[scheme]
        needs = "nothing" if engine.extra is None else f"outflank[{engine.extra}]"
        abilities = (engine.replaces_nodes, engine.takes_newcomers, engine.asks_for_token)
        grid.add_row(form, Text(needs), *("yes" if ability else "no" for ability in abilities), meaning)
    output().print(grid)
    return 0
