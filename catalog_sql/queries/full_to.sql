-- The highest range index known of each group, planned or empty.
SELECT groups.name, max(range_index) FROM ranges JOIN groups USING (group_id) WHERE source_id = %(source)s GROUP BY groups.name
