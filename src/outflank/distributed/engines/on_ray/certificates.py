"""TLS between the machines of a Ray cluster: the authority that they share, and the certificate of each machine.

The authority is a file beside the token, which is copied to all machines like the token. With this file a machine makes
its own certificate, and accepts only certificates that the authority has signed. On one machine (127.0.0.1) nothing is
encrypted.
"""

import hashlib
import ipaddress
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from outflank.distributed.engines.on_ray.ray_start import LOOPBACK, psutil
from outflank.errors import OutflankError, reason_of
from outflank.formats.files import write_whole
from outflank.installation import install_command
from outflank.ownership import complaint, make_private

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import Certificate, CertificateBuilder

AUTHORITY = "cluster-authority.pem"
"""Name of the authority's file, which has its private key and its certificate."""

FOLDER = "cluster-certificates"
"""Name of the folder with the certificate of this machine and its key, and the certificate of the authority without its
key."""

YEARS = 10
"""Number of years that certificates are valid. They are not renewed. To change the authority, remove its file on all
machines."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Files with certificates and keys, in the format PEM."""

    authority: Path
    certificate: Path
    key: Path


def authority_path(token_file: Path) -> Path:
    """Return the path of the authority that belongs to a token."""
    return token_file.with_name(AUTHORITY)


def make_authority(token_file: Path) -> Path:
    """Create the authority of a cluster beside its token, unless it exists. Return its path."""
    _require_cryptography()
    path = authority_path(token_file)
    if not path.exists():
        key = _new_key()
        certificate = _signed(_builder("outflank cluster", "outflank cluster", key), key, is_authority=True)
        try:
            make_private(path.parent)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(_key_text(key) + _certificate_text(certificate))
        except FileExistsError:
            pass
        except OSError as error:
            raise OutflankError(f"cannot keep an authority in {path}: {reason_of(error)}") from None
    _read_authority(path)
    return path


def tls_files(address: str, token_file: Path) -> TlsFiles | None:
    """Return the files for a cluster with its head at `address` (HOST or HOST:PORT); None if it does not use TLS.

    If Ray's own environment variable `RAY_USE_TLS` is 1, Ray's other variables name the files. Otherwise a cluster on
    several machines uses TLS if there is an authority beside its token. This machine's certificate is then made if
    necessary.
    """
    if os.environ.get("RAY_USE_TLS") == "1":
        names = ("RAY_TLS_CA_CERT", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY")
        if missing := [name for name in names if not os.environ.get(name)]:
            raise OutflankError(f"RAY_USE_TLS is set, and {missing[0]} is not")
        return TlsFiles(*(Path(os.environ[name]) for name in names))
    path = authority_path(token_file)
    if address.rpartition(":")[0] == LOOPBACK or address == LOOPBACK or not path.exists():
        return None
    return _machine_files(path)


def tls_settings(files: TlsFiles | None) -> dict[str, str]:
    """Return the environment variables of Ray processes. An empty value means that the variable is removed."""
    return {
        "RAY_USE_TLS": "" if files is None else "1",
        "RAY_TLS_CA_CERT": "" if files is None else str(files.authority),
        "RAY_TLS_SERVER_CERT": "" if files is None else str(files.certificate),
        "RAY_TLS_SERVER_KEY": "" if files is None else str(files.key),
    }


def _machine_files(path: Path) -> TlsFiles:
    """Return the files of this machine. They are made anew if the machine's addresses or the authority have changed."""
    _require_cryptography()
    key, authority = _read_authority(path)
    addresses = _addresses()
    digest = hashlib.sha256("\n".join([*addresses, str(authority.serial_number)]).encode()).hexdigest()[:16]
    folder = path.with_name(FOLDER)
    public, own = folder / f"authority-{digest}.pem", folder / f"machine-{digest}.pem"
    if not own.exists():
        from cryptography import x509

        own_key = _new_key()
        names = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        builder = _builder("outflank node", "outflank cluster", own_key).add_extension(
            x509.SubjectAlternativeName([x509.DNSName("localhost"), *names]), critical=False
        )
        try:
            make_private(folder)
            write_whole(public, _certificate_text(authority))
            # Key and certificate are in one file, so that they match even if two commands write it at the same time.
            write_whole(own, _key_text(own_key) + _certificate_text(_signed(builder, key)))
        except OSError as error:
            raise OutflankError(f"cannot keep a certificate in {folder}: {reason_of(error)}") from None
    return TlsFiles(public, own, own)


def _addresses() -> list[str]:
    """Return the IP addresses of this machine, sorted."""
    psutil_module = psutil()
    interfaces = psutil_module.net_if_addrs().values()
    texts = {entry.address.partition("%")[0] for entries in interfaces for entry in entries}
    return sorted({LOOPBACK, *filter(_is_address, texts)})


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


# --- certificates ---


def _require_cryptography() -> None:
    if find_spec("cryptography") is None:
        raise OutflankError(f"TLS needs another package: {install_command('ray')}")


def _new_key() -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _builder(subject: str, issuer: str, key: "EllipticCurvePrivateKey") -> "CertificateBuilder":
    """Return a certificate to be signed, with the public half of `key`."""
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # clocks differ
        .not_valid_after(now + timedelta(days=365 * YEARS))
    )


def _signed(
    builder: "CertificateBuilder", key: "EllipticCurvePrivateKey", *, is_authority: bool = False
) -> "Certificate":
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256

    constraints = x509.BasicConstraints(ca=is_authority, path_length=0 if is_authority else None)
    return builder.add_extension(constraints, critical=True).sign(key, SHA256())


def _key_text(key: "EllipticCurvePrivateKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _certificate_text(certificate: "Certificate") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)


def _read_authority(path: Path) -> "tuple[EllipticCurvePrivateKey, Certificate]":
    """Return the key and the certificate of an authority; raise OutflankError if other users can read them."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        with path.open("rb") as stream:
            if problem := complaint(path, os.fstat(stream.fileno()), private=True):
                raise OutflankError(f"{problem}: run chmod 600 on it, and make a new authority if they did")
            text = stream.read(1 << 16)
    except OSError as error:
        raise OutflankError(f"no authority in {path}: {reason_of(error)}") from None
    try:
        key = load_pem_private_key(text, None)
        certificate = x509.load_pem_x509_certificate(text)
    except ValueError:
        raise OutflankError(f"{path} does not hold an authority: expected a key and a certificate (PEM)") from None
    if not isinstance(key, EllipticCurvePrivateKey):
        raise OutflankError(f"{path} does not hold an authority of outflank: its key is of another kind")
    return key, certificate
