"""The embedded workspace: a FastAPI backend that trusts two identities and never does a thing twice."""
