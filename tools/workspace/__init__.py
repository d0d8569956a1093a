"""The workspace's tools, a file a noun. Each file ends with the specs of its tools (`TOOLS`)."""
