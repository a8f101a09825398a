"""The benchmark study: data, protocol and shards of runs."""
