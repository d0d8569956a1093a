"""Committing content and going back to a commit."""

from backend.db import changes, commits, content, environments
from backend.effects import Act, Done, Plan
from backend.models.common import MOST_NAMES, Preview
from backend.models.operations import CommitCreate, RollbackRequest
from backend.plans.backups import restore_preview, restored
from backend.problems import Problem


async def commit_changes(act: Act, environment: str, body: CommitCreate) -> Plan:
    """Put all uncommitted changes of an environment into a commit."""
    row = await environments.lock_open(act, environment)
    act.match(row["content_etag"], environments.reference(row))
    if not row["uncommitted_changes"]:
        raise Problem("nothing_to_commit", environment=environment)
    pending = await changes.uncommitted(act.connection, environment, act.lang)

    async def apply() -> Done:
        copy = await content.read(act.connection, environment)
        count = row["uncommitted_changes"]
        commit = await commits.add(
            act.connection, environment, copy, message=body.message, author=act.person.id, changes=count
        )
        await changes.commit_all(act.connection, environment, commit.id)
        etag = await environments.touch(act.connection, environment)
        message = act.say("committed", count=count, id=commit.short_id, environment=environment)
        return Done(commit, commits.reference(commit), message, etag=etag, environment=environment, status=201)

    preview = Preview(
        operation=act.operation,
        resource=environments.reference(row),
        etag=row["content_etag"],
        counts={"changes": row["uncommitted_changes"]},
        first_names=list(dict.fromkeys(change.resource.name for change in pending))[:MOST_NAMES],
        reversible=True,
    )
    return Plan(preview, apply)


async def rollback_commit(act: Act, environment: str, body: RollbackRequest) -> Plan:
    """Set the content back to a commit; the way back is a commit itself, so history only grows."""
    row = await environments.lock_open(act, environment)
    act.match(row["content_etag"], environments.reference(row))
    goal, wanted = await commits.find(act.connection, environment, body.commit)
    difference = content.compare(await content.read(act.connection, environment), wanted)

    async def apply() -> Done:
        await content.carry_out(act, environment, difference)
        title = act.say("rollback_message", id=goal.short_id, message=goal.message)[:200]
        made = await commits.add(
            act.connection,
            environment,
            await content.read(act.connection, environment),
            message=title,
            author=act.person.id,
            changes=len(difference.steps),
        )
        await changes.commit_all(act.connection, environment, made.id)
        etag = await environments.touch(act.connection, environment)
        return Done(
            restored(environment, difference, made.short_id),
            environments.reference(row),
            act.say("rolled_back", environment=environment, id=goal.short_id, **difference.counts()),
            etag=etag,
            environment=environment,
            details={"commit": goal.id, **difference.counts()},
        )

    note = act.say("rollback_irreversible", id=goal.short_id, message=goal.message)
    return Plan(restore_preview(act, row, difference, note), apply)
