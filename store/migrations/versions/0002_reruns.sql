alter table turns add column superseded_by uuid references turns on delete set null;
create index turns_superseded on turns (conversation_id) where superseded_by is not null;
create index turns_superseded_by on turns (superseded_by) where superseded_by is not null;
