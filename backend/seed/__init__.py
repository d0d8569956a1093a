"""The demo workspace: people, content and history in two languages, the same every time, relative to today."""

from backend.database import Connection, exclusively
from backend.seed.planting import plant_audit, plant_content, plant_environments, plant_people, plant_tasks
from backend.seed.remembering import plant_documents, plant_history
from backend.seed.writer import Writer

STEPS = (plant_environments, plant_people, plant_content, plant_history, plant_tasks, plant_documents, plant_audit)


async def plant(connection: Connection) -> None:
    """Fill an empty database with the demo workspace; one that holds anything is left alone."""
    async with exclusively(connection):
        found = await connection.execute("select from environments limit 1")
        if await found.fetchone() is not None:
            return
        row = await (await connection.execute("select clock_timestamp() as now")).fetchone()
        assert row is not None
        for step in STEPS:
            await step(Writer(connection, row["now"]))
