"""TLS of clusters of several machines: who is admitted, and which files are refused."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from outflank.distributed.engines.on_ray import certificates, head_client, membership
from outflank.distributed.engines.on_ray.certificates import TlsFiles, authority_path, make_authority, tls_files
from outflank.errors import OutflankError

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray"),  # not by importing it: that takes long
    pytest.mark.interpreted_only,
]

AWAY = "192.0.2.1:6379"
"""Address of another machine."""


@pytest.fixture
def grpc(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setenv("GRPC_VERBOSITY", "NONE")
    return pytest.importorskip("grpc")


def token_in(folder: Path) -> Path:
    """A path for a token, with an authority beside it."""
    folder.mkdir()
    make_authority(folder / "token")
    return folder / "token"


def files_in(folder: Path) -> TlsFiles:
    files = tls_files(AWAY, token_in(folder))
    assert files is not None
    return files


@contextmanager
def server(grpc: ModuleType, files: TlsFiles | None) -> Iterator[int]:
    """A gRPC server without services, on a port of this machine."""
    with ThreadPoolExecutor(1) as executor:
        served = grpc.server(executor)
        if files is None:
            port = served.add_insecure_port("127.0.0.1:0")
        else:
            pair = files.key.read_bytes(), files.certificate.read_bytes()
            credentials = grpc.ssl_server_credentials([pair], files.authority.read_bytes(), require_client_auth=True)
            port = served.add_secure_port("127.0.0.1:0", credentials)
        served.start()
        try:
            yield port
        finally:
            served.stop(None).wait()


def asked(port: int, files: TlsFiles | None) -> int:
    status, _ = head_client.ask("127.0.0.1", port, head_client.CHECK_ALIVE, files)
    return status


def test_only_machines_with_the_same_authority_are_admitted(grpc, tmp_path):
    ours, theirs = files_in(tmp_path / "ours"), files_in(tmp_path / "theirs")
    with server(grpc, ours) as port:
        assert asked(port, ours) == grpc.StatusCode.UNIMPLEMENTED.value[0]
        for stranger in (theirs, None):
            with pytest.raises(OSError, match="no gRPC"):
                asked(port, stranger)
    with server(grpc, None) as port, pytest.raises(OSError, match="no gRPC"):  # not asked again without TLS
        asked(port, ours)


def test_an_error_says_which_file_is_missing(grpc, tmp_path, monkeypatch):
    monkeypatch.setattr(head_client, "LOOPBACK", "here")  # as if the server were on another machine
    files = files_in(tmp_path / "ours")
    with server(grpc, files) as port, pytest.raises(OSError, match=r"without TLS, for which its authority would have"):
        asked(port, None)
    with server(grpc, None) as port, pytest.raises(OSError, match="no gRPC with this authority"):
        asked(port, files)


def test_tls_is_for_clusters_of_several_machines_with_an_authority(tmp_path, monkeypatch):
    token = token_in(tmp_path / "with")
    assert tls_files("127.0.0.1:6379", token) is None
    assert tls_files(AWAY, tmp_path / "token") is None
    assert tls_files(AWAY, token) == tls_files(AWAY, token)  # made once
    monkeypatch.setenv("RAY_USE_TLS", "1")
    with pytest.raises(OutflankError, match="RAY_USE_TLS is set, and RAY_TLS_CA_CERT is not"):
        tls_files(AWAY, token)
    for name in ("RAY_TLS_CA_CERT", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY"):
        monkeypatch.setenv(name, name)
    assert tls_files(AWAY, token) == TlsFiles(
        Path("RAY_TLS_CA_CERT"), Path("RAY_TLS_SERVER_CERT"), Path("RAY_TLS_SERVER_KEY")
    )


def test_a_machine_with_new_addresses_gets_a_new_certificate(tmp_path, monkeypatch):
    token = token_in(tmp_path / "ours")
    before = tls_files(AWAY, token)
    monkeypatch.setattr(certificates, "_addresses", lambda: ["127.0.0.1", "192.0.2.7"])
    assert tls_files(AWAY, token) != before


def test_within_one_machine_nothing_is_encrypted(tmp_path):
    with pytest.raises(OutflankError, match="nothing is encrypted within one machine"):
        membership.up(port=0, token_file=tmp_path / "token", tls=True)
    assert not authority_path(tmp_path / "token").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="file modes mean nothing there")
def test_an_authority_that_others_can_read_is_refused(tmp_path):
    token = token_in(tmp_path / "ours")
    assert authority_path(token).stat().st_mode & 0o777 == 0o600
    authority_path(token).chmod(0o644)
    with pytest.raises(OutflankError, match="others may read"):
        tls_files(AWAY, token)


@pytest.mark.parametrize("text", ["", "words", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_what_is_no_authority_is_refused(text, tmp_path):
    token = token_in(tmp_path / "ours")
    authority_path(token).write_text(text)
    with pytest.raises(OutflankError, match="does not hold an authority"):
        tls_files(AWAY, token)
