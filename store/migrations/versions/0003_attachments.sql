-- A file that a person gave to a conversation. It goes along with the next message; until then it has no turn.
create table attachments (
    id               uuid primary key,
    conversation_id  uuid not null references conversations on delete cascade,
    turn_id          uuid references turns on delete cascade,
    name             text not null,
    size             int not null,
    data             bytea not null,
    text             text not null,                      -- what could be read of it, for the model
    cut              boolean not null default false,     -- the file holds more text than that
    created_at       timestamptz not null default clock_timestamp()
);
alter table attachments alter column data set storage external;  -- mostly compressed already
create index attachments_of_conversation on attachments (conversation_id, created_at);
create index attachments_of_turn on attachments (turn_id) where turn_id is not null;
