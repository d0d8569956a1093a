"""Whether the process lives and can work."""

from fastapi import APIRouter

from backend.api.deps import Db
from backend.api.responses import refusals

router = APIRouter(tags=["health"])


@router.get("/healthz", operation_id="healthz", summary="Liveness", responses=refusals(422))
async def healthz() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz", operation_id="readyz", summary="Readiness", responses=refusals(422))
async def readyz(db: Db) -> dict[str, str]:
    """The process answers and the database does too."""
    await db.execute("select 1")
    return {"status": "ok"}
