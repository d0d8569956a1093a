-- Everything the chat remembers. Times are database times (clock_timestamp()); ids are made by the application.

create table conversations (
    id              uuid primary key,
    tenant          text not null,
    owner           text not null,                       -- "iss|sub" of the person
    title           text not null default '',
    title_by_user   boolean not null default false,
    lang            text not null default 'en' check (lang in ('en', 'ru')),
    review_changes  boolean not null default false,      -- write calls ask too
    created_at      timestamptz not null default clock_timestamp(),
    updated_at      timestamptz not null default clock_timestamp(),
    deleted_at      timestamptz
);
create index conversations_of_owner on conversations (tenant, owner, updated_at desc, id) where deleted_at is null;

create table turns (
    id                   uuid primary key,
    conversation_id      uuid not null references conversations on delete cascade,
    client_turn_id       text not null check (length(client_turn_id) between 1 and 255),
    request_sha256       bytea not null,                 -- of the message; the same id with other text is refused
    state                text not null default 'queued' check (state in
                         ('queued', 'running', 'waiting_approval', 'waiting_answer', 'waiting_auth',
                          'succeeded', 'failed', 'canceled')),
    lang                 text not null default 'en' check (lang in ('en', 'ru')),
    role                 text not null default 'viewer',
    attempt              int not null default 0,
    fence                bigint not null default 0,
    claimed_by           text,
    lease_until          timestamptz,
    deadline_at          timestamptz,
    cancel_requested_at  timestamptz,
    error                jsonb,
    created_at           timestamptz not null default clock_timestamp(),
    finished_at          timestamptz,
    unique (conversation_id, client_turn_id)
);
create unique index turns_one_active on turns (conversation_id)
    where state in ('queued', 'running', 'waiting_approval', 'waiting_answer', 'waiting_auth');
create index turns_claimable on turns (created_at) where state in ('queued', 'running');

-- A fence only grows, and every claim raises it: whatever writes the row, an older worker stays locked out.
create function turns_fence_grows() returns trigger language plpgsql as $$
begin
    if new.fence < old.fence or (new.state = 'running' and new.attempt > old.attempt and new.fence = old.fence) then
        raise exception 'the fence of a turn must grow with every claim';
    end if;
    return new;
end $$;
create trigger turns_fence before update of fence, state, attempt on turns
    for each row execute function turns_fence_grows();

create table messages (
    seq              bigint generated always as identity primary key,
    id               uuid not null unique,
    conversation_id  uuid not null references conversations on delete cascade,
    turn_id          uuid not null references turns on delete cascade,
    role             text not null check (role in ('user', 'assistant')),
    state            text not null default 'final' check (state in ('draft', 'final', 'failed', 'canceled')),
    parts            jsonb not null default '[]',        -- the dicts of the stream protocol
    text             text not null default '',           -- plain words, for search, titles and exports
    version          bigint not null default 0,          -- the seq of the last change; grows with each save
    created_at       timestamptz not null default clock_timestamp(),
    updated_at       timestamptz not null default clock_timestamp(),
    search           tsvector generated always as
                     (to_tsvector('russian', left(text, 100000)) || to_tsvector('english', left(text, 100000))) stored,
    unique (turn_id, role)
);
create index messages_of_conversation on messages (conversation_id, seq);
create index messages_search on messages using gin (search);

create table approvals (
    id               uuid primary key,
    tenant           text not null,
    owner            text not null,
    conversation_id  uuid not null references conversations on delete cascade,
    turn_id          uuid not null references turns on delete cascade,
    call_key         text not null,                      -- assistant message id + tool call id (+ round)
    version          int not null default 1,             -- grows with each edit of the same call
    tool             text not null,
    effect           text not null check (effect in ('write', 'danger')),
    tool_sha256      bytea not null,                     -- of name, description and argument schema
    args_jcs         bytea not null,                     -- RFC 8785 bytes; exactly these are sent
    resource         jsonb,                              -- {type, id, name}
    etag             text,
    card             jsonb not null,                     -- what was shown
    card_sha256      bytea not null,
    nonce            bytea not null,
    kid              text not null,
    sig              bytea not null,
    state            text not null default 'pending' check (state in
                     ('pending', 'approved', 'denied', 'expired', 'superseded', 'consumed', 'failed')),
    reason           text,
    decided_by       text,
    decided_by_name  text,
    decided_at       timestamptz,
    decision_sig     bytea,                              -- binds the decision to the signed card and to the decider
    consumed_at      timestamptz,
    result           jsonb,
    created_at       timestamptz not null default clock_timestamp(),
    expires_at       timestamptz not null,
    unique (turn_id, call_key, version)
);
create unique index approvals_one_open on approvals (turn_id, call_key) where state in ('pending', 'approved');
create index approvals_pending_of_owner on approvals (tenant, owner, created_at) where state = 'pending';
create index approvals_overdue on approvals (expires_at) where state = 'pending';
create index approvals_of_conversation on approvals (conversation_id);

create table questions (
    id               uuid primary key,
    conversation_id  uuid not null references conversations on delete cascade,
    turn_id          uuid not null references turns on delete cascade,
    call_key         text not null,
    question         text not null,
    choices          jsonb not null default '[]',
    free             boolean not null default true,
    state            text not null default 'pending' check (state in ('pending', 'answered', 'superseded')),
    answer           text,
    created_at       timestamptz not null default clock_timestamp(),
    answered_at      timestamptz,
    unique (turn_id, call_key)
);
create index questions_of_conversation on questions (conversation_id);
create index questions_pending on questions (turn_id) where state = 'pending';

-- The token of the person for a turn that another process may have to finish: sealed, at most 15 minutes.
create table turn_credentials (
    turn_id     uuid primary key references turns on delete cascade,
    sealed      bytea not null,
    expires_at  timestamptz not null
);

-- A signed-in browser. The handle itself is never stored.
create table sessions (
    handle_sha256  bytea primary key,
    tenant         text not null,
    subject        text not null,
    name           text not null,
    role           text not null,
    mode           text not null,
    sealed         bytea not null,                       -- the user's JWT, AES-GCM
    token_expires  timestamptz not null,
    expires_at     timestamptz not null,
    created_at     timestamptz not null default clock_timestamp()
);

create table always_allowed (
    tenant      text not null,
    owner       text not null,
    tool        text not null,
    created_at  timestamptz not null default clock_timestamp(),
    primary key (tenant, owner, tool)
);

create table usage (
    id               bigint generated always as identity primary key,
    tenant           text not null,
    owner            text not null,
    conversation_id  uuid not null,
    turn_id          uuid not null,
    step_key         text not null,                      -- one model request
    model            text not null,
    input_tokens     int not null default 0,
    cached_tokens    int not null default 0,
    reasoning_tokens int not null default 0,
    output_tokens    int not null default 0,
    estimated        boolean not null default false,
    at               timestamptz not null default clock_timestamp(),
    unique (turn_id, step_key)
);
create index usage_by_day on usage (tenant, at);
create index usage_of_owner on usage (tenant, owner, at);

create table feedback (
    message_id  uuid not null references messages (id) on delete cascade,
    owner       text not null,
    value       smallint not null check (value in (-1, 1)),
    reason      text,
    at          timestamptz not null default clock_timestamp(),
    primary key (message_id, owner)
);

-- Append-only, hash-chained per tenant. A trigger refuses update and delete; the chain shows what a superuser did.
create table audit (
    tenant           text not null,
    seq              bigint not null,
    at               timestamptz not null,
    kind             text not null,
    actor            text not null,
    actor_name       text not null default '',
    owner            text not null,
    conversation_id  uuid,
    turn_id          uuid,
    approval_id      uuid,
    tool             text,
    data             jsonb not null default '{}',
    prev_hash        bytea not null,
    hash             bytea not null,
    primary key (tenant, seq)
);
create function audit_is_append_only() returns trigger language plpgsql as $$
begin raise exception 'the audit log is append-only'; end $$;
create trigger audit_append_only before update or delete on audit
    for each row execute function audit_is_append_only();
create trigger audit_never_truncated before truncate on audit
    for each statement execute function audit_is_append_only();
create index audit_of_owner on audit (tenant, owner, seq);

-- The newest link of each chain: what shows that the newest rows were removed, and where appending queues up.
create table audit_heads (
    tenant  text primary key,
    seq     bigint not null,
    hash    bytea not null
);

create table rate_limits (
    bucket        text primary key,
    window_start  timestamptz not null,
    hits          int not null
);
