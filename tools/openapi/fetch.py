"""Bytes of an OpenAPI document: a file, or an http(s) address that an operator gave. Bounded, no redirects."""

import httpx

from tools.openapi.document import MAX_BYTES, DocumentError, read_file

TIMEOUT = 10.0


def fetch(uri: str) -> bytes:
    """The document's bytes; raises `DocumentError`. Blocks: call it before the event loop or in a thread."""
    if not uri.startswith(("http://", "https://")):
        return read_file(uri)
    try:
        with httpx.stream("GET", uri, timeout=TIMEOUT, follow_redirects=False, trust_env=False) as answer:
            if answer.status_code != 200:
                raise DocumentError(f"{uri} answered {answer.status_code}; is this the address of the document?")
            return _bounded(answer)
    except httpx.HTTPError as error:
        raise DocumentError(f"{uri} cannot be read: {type(error).__name__}") from None


def _bounded(answer: httpx.Response) -> bytes:
    raw = bytearray()
    for chunk in answer.iter_bytes():
        raw += chunk
        if len(raw) > MAX_BYTES:
            raise DocumentError(f"the document is larger than {MAX_BYTES // 1_000_000} MB; serve a smaller one")
    return bytes(raw)
