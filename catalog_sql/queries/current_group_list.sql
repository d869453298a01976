SELECT version, names FROM group_lists ORDER BY version DESC LIMIT 1
