"""Bytes of an OpenAPI document: a file, or an http(s) address that an operator gave. Bounded, no redirects.

An address inside the operator's network is read only when it is the backend's own host: a document's place must not
become a way to ask internal services (OWASP, server-side request forgery). What a name resolves to is checked and
then connected to, so a second look-up cannot lead elsewhere.
"""

import ipaddress
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx

from tools.openapi.document import MAX_BYTES, DocumentError, Fetch, read_file

TIMEOUT = 10.0
Resolve = Callable[[str, int], list[str]]
# Where clouds keep their credentials, besides the link-local 169.254.169.254.
METADATA = frozenset({"fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"})
NAT64 = ipaddress.ip_network("64:ff9b::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def addresses(host: str, port: int) -> list[str]:
    """The IP addresses of a host; raises `OSError`."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def fetcher(own: str | None = None, resolve: Resolve = addresses) -> Fetch:
    """A function that gets a document's bytes; `own` is the backend's address, whose host may be a private one.

    What it returns raises `DocumentError` and blocks: call it before the event loop or in a thread.
    """
    trusted = urlsplit(own).hostname if own else None

    def fetch(uri: str) -> bytes:
        if not uri.startswith(("http://", "https://")):
            return read_file(uri)
        try:
            url = httpx.URL(uri)
        except httpx.InvalidURL:
            raise DocumentError(f"{uri} is not an address") from None
        return _get(url, _allowed(url, trusted, resolve))

    return fetch


def _allowed(url: httpx.URL, trusted: str | None, resolve: Resolve) -> str:
    """The IP address to connect to; raises `DocumentError`."""
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = [ipaddress.ip_address(text.partition("%")[0]) for text in resolve(url.host, port)]
    except (OSError, UnicodeError, ValueError):
        raise DocumentError(f"{url.host} cannot be found; is this the address of the document?") from None
    for address in found:
        plain = _meant(address)
        if plain.is_link_local or plain.is_multicast or plain.is_unspecified or str(plain) in METADATA:
            raise DocumentError(f"{url.host} is not an address that documents are read from")
        inside = not plain.is_global or getattr(plain, "is_site_local", False)
        if inside and url.host != trusted:
            raise DocumentError(
                f"{url.host} is inside a private network and not the backend's host; save the document as a file"
            )
    if not found:
        raise DocumentError(f"{url.host} cannot be found; is this the address of the document?")
    return str(found[0])


def _meant(address: Address) -> Address:
    """The IPv4 address that an IPv6 one leads to: mapped, by 6to4 (RFC 3056) or by NAT64 (RFC 6052)."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _get(url: httpx.URL, address: str) -> bytes:
    headers = {"Host": url.netloc.decode(), "Accept-Encoding": "identity"}
    extensions = {"sni_hostname": url.host} if url.scheme == "https" else {}
    try:
        with (
            httpx.Client(timeout=TIMEOUT, follow_redirects=False, trust_env=False) as http,
            http.stream("GET", url.copy_with(host=address), headers=headers, extensions=extensions) as answer,
        ):
            if answer.status_code != 200:
                raise DocumentError(f"{url} answered {answer.status_code}; is this the address of the document?")
            return _bounded(answer)
    except httpx.HTTPError as error:
        raise DocumentError(f"{url} cannot be read: {type(error).__name__}") from None


def _bounded(answer: httpx.Response) -> bytes:
    raw = bytearray()
    for chunk in answer.iter_bytes(65_536):
        raw += chunk
        if len(raw) > MAX_BYTES:
            raise DocumentError(f"the document is larger than {MAX_BYTES // 1_000_000} MB; serve a smaller one")
    return bytes(raw)
