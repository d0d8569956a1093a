-- Whose rows a query may see, for every role but the tables' owner: store/person.py says for whom a query is made.
-- A missing setting is no person: nothing equals null. What hangs on a conversation is visible as the conversation is:
-- looked up by its key, where EXISTS may be planned as a read of all conversations, and "is not null" lets the planner
-- expect that nearly all rows pass, where it would take a bare condition for a reason to read past a LIMIT.

create policy own on conversations using (tenant = current_setting('countersign.tenant', true)
    and owner = nullif(current_setting('countersign.owner', true), ''));
create policy own on approvals using (tenant = current_setting('countersign.tenant', true)
    and owner = nullif(current_setting('countersign.owner', true), ''));
create policy own on always_allowed using (tenant = current_setting('countersign.tenant', true)
    and owner = nullif(current_setting('countersign.owner', true), ''));
create policy own on usage using (tenant = current_setting('countersign.tenant', true)
    and owner = nullif(current_setting('countersign.owner', true), ''));
create policy own on audit using (tenant = current_setting('countersign.tenant', true)
    and owner = nullif(current_setting('countersign.owner', true), ''));
create policy own on sessions using (tenant = current_setting('countersign.tenant', true)
    and subject = nullif(current_setting('countersign.owner', true), ''));

-- Who may read all of a tenant: the pages of usage, feedback and the audit log, for an admin.
create policy whole_tenant on conversations for select using (tenant = current_setting('countersign.tenant', true)
    and current_setting('countersign.whole_tenant', true) = 'true');
create policy whole_tenant on usage for select using (tenant = current_setting('countersign.tenant', true)
    and current_setting('countersign.whole_tenant', true) = 'true');
create policy whole_tenant on audit for select using (tenant = current_setting('countersign.tenant', true)
    and current_setting('countersign.whole_tenant', true) = 'true');
create policy whole_tenant on sessions for select using (tenant = current_setting('countersign.tenant', true)
    and current_setting('countersign.whole_tenant', true) = 'true');

create policy of_conversation on turns
    using ((select c.id from conversations c where c.id = turns.conversation_id) is not null);
create policy of_conversation on messages
    using ((select c.id from conversations c where c.id = messages.conversation_id) is not null);
create policy of_conversation on questions
    using ((select c.id from conversations c where c.id = questions.conversation_id) is not null);
create policy of_conversation on attachments
    using ((select c.id from conversations c where c.id = attachments.conversation_id) is not null);
create policy of_turn on turn_credentials
    using ((select t.id from turns t where t.id = turn_credentials.turn_id) is not null);
create policy of_message on feedback
    using ((select m.id from messages m where m.id = feedback.message_id) is not null);

-- The chain that a person's entries are appended to is the tenant's; their owner must be somebody.
create policy of_tenant on audit_heads using (tenant = current_setting('countersign.tenant', true)
    and current_setting('countersign.owner', true) <> '');

alter table conversations enable row level security;
alter table turns enable row level security;
alter table messages enable row level security;
alter table approvals enable row level security;
alter table questions enable row level security;
alter table attachments enable row level security;
alter table turn_credentials enable row level security;
alter table sessions enable row level security;
alter table always_allowed enable row level security;
alter table usage enable row level security;
alter table feedback enable row level security;
alter table audit enable row level security;
alter table audit_heads enable row level security;
