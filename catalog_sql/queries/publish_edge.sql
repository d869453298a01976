UPDATE edges SET generation = %(generation)s, signature_table = %(signature_table)s, software = %(software)s, done_at = now()
WHERE edge_id = %(edge)s
