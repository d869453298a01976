DELETE FROM fragments WHERE range_id = %(range)s RETURNING owner
