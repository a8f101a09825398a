"""From shards of runs to tables, figures and the report page."""
