SELECT name, group_id FROM groups WHERE name = ANY (%(names)s)
