-- The workspace: environments and their content, people, documents, and what was done to them.
-- Names are folded for search: case and the dots of the letter yo do not matter, whatever the database's locale is
-- (in the C locale lower() knows no Cyrillic).

create function fold(text) returns text language sql immutable parallel safe as $$
    select translate(lower($1),
        'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯё', 'абвгдеежзийклмнопрстуфхцчшщъыьэюяе')
$$;

-- Revisions are never used twice, not even by a thing that was deleted and came back.
create sequence revisions start 10001;

create table environments (
    id text primary key,
    position int not null,
    name text not null,
    name_ru text not null,
    version text not null,
    latest_version text not null,
    maintenance boolean not null default false,
    maintenance_message text not null default '',
    checks jsonb not null,
    disk_gb numeric not null,
    disk_base_gb numeric not null,
    settings_version int not null default 1,
    content_version int not null default 1
);

create table users (
    id text primary key,
    name text not null,
    name_ru text not null,
    email text not null unique,
    title text not null,
    title_ru text not null,
    active boolean not null default true,
    last_seen_at timestamptz,
    version int not null default 1
);

create table user_roles (
    user_id text not null references users,
    role text not null check (role in ('viewer', 'analyst', 'editor', 'publisher', 'admin')),
    primary key (user_id, role)
);

create table role_events (
    id bigint generated always as identity primary key,
    user_id text not null references users,
    role text not null,
    granted boolean not null,
    by_id text not null references users,
    at timestamptz not null default clock_timestamp()
);
create index role_events_user on role_events (user_id, id desc);

create function person_ref(text) returns jsonb language sql stable as
    $$ select jsonb_build_object('id', u.id, 'name', u.name, 'name_ru', u.name_ru) from users u where u.id = $1 $$;

create sequence dashboard_ids start 1001;
create table dashboards (
    id int primary key default nextval('dashboard_ids'),
    key text not null,
    environment text not null references environments,
    name text not null,
    description text not null default '',
    owner_id text not null references users,
    tags text[] not null default '{}',
    charts jsonb not null default '[]',
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp(),
    version bigint not null default nextval('revisions'),
    unique (environment, key)
);
create index dashboards_name on dashboards (environment, fold(name));

create sequence dataset_ids start 3001;
create table datasets (
    id int primary key default nextval('dataset_ids'),
    environment text not null references environments,
    name text not null,
    schema_name text not null,
    source text not null,
    description text not null default '',
    owner_id text not null references users,
    columns jsonb not null default '[]',
    refresh_every_hours int not null,
    source_state text not null default 'ok' check (source_state in ('ok', 'unavailable')),
    row_count bigint not null default 0,
    refreshed_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp(),
    version bigint not null default nextval('revisions'),
    unique (environment, name)
);

create table commits (
    id text primary key check (id ~ '^[0-9a-f]{40}$'),
    environment text not null references environments,
    message text not null,
    author_id text not null references users,
    at timestamptz not null default clock_timestamp(),
    changes int not null,
    content jsonb not null
);
create index commits_environment on commits (environment, at desc);

create sequence change_ids start 2001;
create table changes (
    id int primary key default nextval('change_ids'),
    at timestamptz not null default clock_timestamp(),
    by_id text not null references users,
    operation text not null,
    environment text references environments,
    resource_type text not null,
    resource_id text not null,
    resource_name text not null,
    before json,
    after json,
    commit_id text references commits,
    undoes int references changes,
    undone_by int references changes
);
create index changes_resource on changes (resource_type, resource_id, id desc);
create index changes_uncommitted on changes (environment, id desc) where commit_id is null;

create sequence backup_numbers start 552;
create table backups (
    id text primary key,
    environment text not null references environments,
    created_at timestamptz not null default clock_timestamp(),
    created_by text not null references users,
    kind text not null check (kind in ('nightly', 'manual')),
    note text not null default '',
    size_bytes bigint not null,
    content jsonb not null
);
create index backups_environment on backups (environment, created_at desc);

create sequence task_ids start 9400;
create table tasks (
    id int primary key default nextval('task_ids'),
    kind text not null check (kind in ('validate_dashboard', 'document_dataset', 'make_thumbnails')),
    title text not null,
    environment text not null references environments,
    target_ids int[] not null,
    started_by text not null references users,
    created_at timestamptz not null default clock_timestamp(),
    starts_at timestamptz not null,
    duration interval not null,
    stalls_at double precision,
    outcome text not null check (outcome in ('succeeded', 'failed')),
    error text,
    script jsonb not null,
    canceled_at timestamptz,
    canceled_by text references users
);

create table documents (
    id text primary key,
    kind text not null check (kind in ('report', 'data_contract', 'runbook')),
    title text not null,
    language text not null check (language in ('en', 'ru')),
    revision int not null default 1,
    content json not null,
    updated_at timestamptz not null default clock_timestamp(),
    updated_by text not null references users
);

create table document_revisions (
    document_id text not null references documents,
    revision int not null,
    content json not null,
    at timestamptz not null,
    by_id text not null references users,
    primary key (document_id, revision)
);

create table attachments (
    id int primary key,
    document_id text not null references documents,
    name text not null,
    media_type text not null,
    bytes bytea not null,
    unique (document_id, name)
);

create table audit_events (
    id bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    sub text not null,
    service text not null,
    approval_id text,
    action text not null,
    resource_type text not null,
    resource_id text not null,
    resource_name text not null,
    environment text,
    summary text not null,
    details jsonb not null default '{}'
);
create index audit_events_resource on audit_events (resource_type, resource_id, id desc);

create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception 'audit events are only ever added';
end $$;
create trigger audit_events_append_only before update or delete or truncate on audit_events
    for each statement execute function refuse_change();

-- One row for each call that changed something, written in the transaction of its effect: a call whose answer got
-- lost is answered again from here, and a call that failed left no row.
create table ledger (
    scope text not null,
    key text not null check (length(key) between 8 and 255),
    fingerprint bytea not null,
    status int,
    headers jsonb,
    body bytea check (octet_length(body) <= 65536),
    at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null default clock_timestamp() + interval '30 days',
    primary key (scope, key)
);
create index ledger_expiry on ledger (expires_at);
