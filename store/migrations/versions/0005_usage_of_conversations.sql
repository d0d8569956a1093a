create index usage_of_conversation on usage (conversation_id);
