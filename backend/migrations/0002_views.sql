-- Rows in the shape in which they are answered; an etag changes whenever what it stands for does.

create view environment_view as
select e.id, e.name, e.name_ru, e.version, e.latest_version, e.id = 'prod' as protected, e.position,
    e.maintenance_message, e.maintenance, e.settings_version, e.content_version, e.checks,
    (select count(*) from dashboards d where d.environment = e.id) as dashboards,
    (select count(*) from datasets s where s.environment = e.id) as datasets,
    (select count(*) from changes c where c.environment = e.id and c.commit_id is null) as uncommitted_changes,
    round((e.disk_base_gb + coalesce((select sum(b.size_bytes) from backups b where b.environment = e.id), 0) / 1e9)
        / e.disk_gb * 100)::int as disk_percent,
    format('"environment-%s-%s"', e.id, e.settings_version) as etag,
    format('"content-%s-%s"', e.id, e.content_version) as content_etag
from environments e;

create view user_view as
select u.id, u.name, u.name_ru, u.email, u.title, u.title_ru, u.active, u.last_seen_at, u.version,
    array(select r.role from user_roles r where r.user_id = u.id
        order by array_position(array['viewer', 'analyst', 'editor', 'publisher', 'admin'], r.role)) as roles,
    fold(concat_ws(' ', u.id, u.name, u.name_ru, u.email)) as words,
    format('"user-%s-%s"', u.id, u.version) as etag
from users u;

create view dashboard_view as
select d.id, d.key, d.name, d.environment, d.description, d.owner_id, person_ref(d.owner_id) as owner, d.tags,
    d.charts, d.created_at, d.updated_at, d.version,
    fold(concat_ws(' ', d.id, d.name, d.description, array_to_string(d.tags, ' '))) as words,
    format('"dashboard-%s-%s"', d.id, d.version) as etag
from dashboards d;

create view dataset_view as
select s.id, s.name, s.environment, s.schema_name as schema, s.source, s.description, s.owner_id,
    person_ref(s.owner_id) as owner, s.columns, s.row_count, s.refreshed_at, s.refresh_every_hours, s.source_state,
    s.updated_at, s.version,
    round(extract(epoch from clock_timestamp() - s.refreshed_at) / 3600, 1)::float as age_hours,
    s.refreshed_at + make_interval(hours => s.refresh_every_hours) < clock_timestamp() as stale,
    fold(concat_ws(' ', s.id, s.name, s.schema_name, s.source, s.description)) as words,
    format('"dataset-%s-%s"', s.id, s.version) as etag
from datasets s;

-- A thing as it can be put back: what people define, without its etag and times. A dataset's image also has the
-- size and age of its data, for the case that it must be made anew.
create function dashboard_image(d dashboards) returns jsonb language sql immutable as $$
    select jsonb_build_object('id', d.id, 'key', d.key, 'environment', d.environment, 'name', d.name,
        'description', d.description, 'owner', d.owner_id, 'tags', to_jsonb(d.tags), 'charts', d.charts)
$$;

create function dataset_image(s datasets) returns jsonb language sql stable as $$
    select jsonb_build_object('id', s.id, 'environment', s.environment, 'name', s.name, 'schema', s.schema_name,
        'source', s.source, 'description', s.description, 'owner', s.owner_id, 'columns', s.columns,
        'refresh_every_hours', s.refresh_every_hours, 'row_count', s.row_count, 'refreshed_at', s.refreshed_at)
$$;

create function content_of(environment_id text) returns jsonb language sql stable as $$
    select jsonb_build_object(
        'dashboards', coalesce((select jsonb_agg(dashboard_image(d) order by d.id) from dashboards d
            where d.environment = environment_id), '[]'),
        'datasets', coalesce((select jsonb_agg(dataset_image(s) order by s.id) from datasets s
            where s.environment = environment_id), '[]'))
$$;

create view backup_view as
select b.id, b.environment, b.created_at, person_ref(b.created_by) as created_by, b.kind, b.note, b.size_bytes,
    jsonb_array_length(b.content -> 'dashboards') as dashboards,
    jsonb_array_length(b.content -> 'datasets') as datasets,
    format('"backup-%s-1"', b.id) as etag
from backups b;

-- A task's progress follows the clock: it starts at starts_at, takes duration, and stays put from stalls_at on.
create view task_view as
with clocked as (
    select t.*, extract(epoch from coalesce(t.canceled_at, clock_timestamp()) - t.starts_at)
        / extract(epoch from t.duration) as elapsed
    from tasks t
), measured as (
    select c.*, greatest(0, least(1, c.elapsed, coalesce(c.stalls_at, 1)))::float as done from clocked c
), stated as (
    select m.*, case when m.canceled_at is not null then 'canceled' when m.elapsed < 0 then 'queued'
        when m.done < 1 then 'running' else m.outcome end as state
    from measured m
)
select s.id, s.kind, s.title, s.environment, s.target_ids, s.state, floor(s.done * 100)::int as progress, s.done,
    person_ref(s.started_by) as started_by, s.started_by as started_by_id, s.created_at, s.script, s.duration,
    case when s.elapsed >= 0 then s.starts_at end as started_at,
    case when s.state = 'canceled' then s.canceled_at
        when s.state in ('succeeded', 'failed') then s.starts_at + s.duration end as finished_at,
    case when s.state in ('running', 'queued') and s.stalls_at is null
        then ceil(extract(epoch from s.starts_at + s.duration - clock_timestamp()))::int end as seconds_left,
    case when s.state = 'failed' then s.error end as error,
    fold(concat_ws(' ', s.id, s.kind, s.title)) as words,
    format('"task-%s-%s"', s.id, case when s.state in ('running', 'queued') then 'active' else 'ended' end) as etag
from stated s;

create view commit_view as
select c.id, left(c.id, 7) as short_id, c.environment, c.message, person_ref(c.author_id) as author, c.at, c.changes
from commits c;

-- A change can be undone while nothing that still holds came after it. An undo and what it undid cancel out.
create view change_view as
select c.id, c.at, person_ref(c.by_id) as by, c.operation, c.environment, c.resource_type, c.resource_id,
    c.resource_name, c.before, c.after, c.commit_id, c.undoes, c.undone_by,
    array(select n.id from changes n where n.resource_type = c.resource_type and n.resource_id = c.resource_id
        and n.id > c.id and n.undone_by is null and n.undoes is null order by n.id) as blocked_by
from changes c;

create view document_view as
select d.id, d.kind, d.title, d.language, d.revision, d.content, d.updated_at, person_ref(d.updated_by) as updated_by,
    fold(concat_ws(' ', d.id, d.title, d.kind)) as words,
    format('"document-%s-%s"', d.id, d.revision) as etag
from documents d;

create view attachment_view as
select a.id, a.name, a.document_id, d.title as document_title, a.media_type, octet_length(a.bytes) as size_bytes,
    fold(concat_ws(' ', a.id, a.name, d.id, d.title)) as words
from attachments a join documents d on d.id = a.document_id;

create view audit_view as
select a.id, a.at, a.sub, person_ref(a.sub) as person, a.service, a.approval_id, a.action, a.resource_type,
    a.resource_id, a.resource_name, a.environment, a.summary, a.details,
    fold(concat_ws(' ', a.sub, u.name, u.name_ru, a.action, a.resource_name, a.resource_id, a.summary)) as words
from audit_events a left join users u on u.id = a.sub;
