-- Ranges that hold data made under an older group list, an older signature table, or other software.
SELECT partition_key AS key,
    group_list < %(group_list)s AS old_group_list,
    signature_table < %(signature_table)s AS old_signature_table,
    software <> %(software)s AS old_software
FROM ranges
WHERE source_id = %(source)s AND partition_key IS NOT NULL AND generation > 0
    AND (group_list < %(group_list)s OR signature_table < %(signature_table)s OR software <> %(software)s)
ORDER BY era, partition_key
