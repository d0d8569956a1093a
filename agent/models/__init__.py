"""What lies between the graph and a provider: the two OpenAI APIs, strict endings, errors in plain words."""
