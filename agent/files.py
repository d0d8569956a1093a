"""Files that people attach: checked, read in a process of its own, kept for the next message, served to their owner."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from agent import extraction
from agent.acting import as_person
from agent.identity import Principal
from agent.library import refusing, uuid_of
from agent.refused import Refused
from store import attachments, conversations
from store.attachments import Attachment, NewFile
from store.errors import TooMuch
from store.pool import Pool
from tools.text import clean_text
from tools.toolset import Lang

KINDS = {"txt": "text", "md": "text", "csv": "text", "json": "text", "pdf": "pdf", "docx": "docx"}
MOST_BYTES = 25 * 2**20
NAME = 200
PATIENCE = 20.0
AT_ONCE = 2


class Files:
    """Attaching, listing, taking back and giving out files. Every method checks by itself whose they are.

    All methods raise `Refused`; other people's files are "not_found". `patience` is in seconds.
    """

    def __init__(self, pool: Pool, *, patience: float = PATIENCE):
        self._pool = pool
        self._patience = patience
        self._slots = asyncio.Semaphore(AT_ONCE)

    @as_person
    async def attach(
        self, principal: Principal, conversation_id: str | None, name: str, data: bytes, lang: Lang = "en"
    ) -> Attachment:
        """Keep a file for the next message of a conversation; without one a file that can be read makes a new one."""
        mine = principal.tenant, principal.subject
        name = clean_text(Path(name.replace("\\", "/")).name, NAME).strip()
        kind = KINDS.get(name.rpartition(".")[2].lower())
        if kind is None or not name.partition(".")[0]:
            raise Refused("file_kind", lang)
        if len(data) > MOST_BYTES:
            raise Refused("file_large", lang)
        place = await self._place(principal, conversation_id, lang) if conversation_id else None
        text, cut = await self._text(kind, data, lang)
        with refusing(lang):
            try:
                async with self._pool.connection() as connection:
                    place = place or (await conversations.create(connection, *mine, lang=lang)).id
                    return await attachments.insert(connection, *mine, place, NewFile(name, data, text, cut))
            except TooMuch as much:
                raise Refused("file_count" if str(much) == "files" else "file_total", lang) from None

    @as_person
    async def waiting(self, principal: Principal, conversation_id: str) -> list[Attachment]:
        """The files that go along with the next message."""
        place = uuid_of(conversation_id)
        with refusing():
            async with self._pool.connection() as connection:
                return await attachments.of_conversation(
                    connection, principal.tenant, principal.subject, place, waiting=True
                )

    @as_person
    async def get(self, principal: Principal, file_id: str) -> tuple[str, bytes]:
        """The name and the bytes of a file."""
        mine, key = (principal.tenant, principal.subject), uuid_of(file_id)
        with refusing():
            async with self._pool.connection() as connection:
                file = await attachments.get(connection, *mine, key)
                data = await attachments.data(connection, *mine, key)
        if file is None or data is None:
            raise Refused("not_found")
        return file.name, data

    @as_person
    async def remove(self, principal: Principal, file_id: str) -> None:
        """Take back a file that has not gone with a message yet."""
        with refusing():
            async with self._pool.connection() as connection:
                await attachments.remove(connection, principal.tenant, principal.subject, uuid_of(file_id))

    async def _place(self, principal: Principal, conversation_id: str, lang: Lang) -> UUID:
        with refusing(lang):
            async with self._pool.connection() as connection:
                key = uuid_of(conversation_id)
                found = await conversations.get(connection, principal.tenant, principal.subject, key)
        if found is None:
            raise Refused("not_found", lang)
        return found.id

    async def _text(self, kind: str, data: bytes, lang: Lang) -> tuple[str, bool]:
        """The text, read elsewhere: a file that hangs, grows or crashes its reader is refused."""
        async with self._slots:
            reader = await asyncio.create_subprocess_exec(
                sys.executable, "-P", extraction.__file__, kind,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            try:
                async with asyncio.timeout(self._patience):
                    out, _ = await reader.communicate(data)
            except TimeoutError:
                raise Refused("file_bomb", lang) from None
            finally:
                if reader.returncode is None:
                    reader.kill()
                    await reader.wait()
        told: dict[str, Any] = json.loads(out) if out else {"error": "file_bomb"}
        if "error" in told:
            raise Refused(told["error"], lang)
        return clean_text(told["text"], extraction.MOST), told["cut"]
