-- What the filters of the audit page look for: what became of one approval, and all of one conversation.
create index audit_of_approval on audit (tenant, approval_id) where approval_id is not null;
create index audit_of_conversation on audit (tenant, conversation_id, seq) where conversation_id is not null;
