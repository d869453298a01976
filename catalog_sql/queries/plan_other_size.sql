SELECT groups.name, ranges.size
FROM planned JOIN ranges USING (source_id, group_id) JOIN groups USING (group_id)
WHERE ranges.size <> planned.size
LIMIT 1
