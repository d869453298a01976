-- Whether a range is still done and not fetched again; its row stays as it is until the end of the transaction.
SELECT FROM ranges WHERE range_id = %(range)s AND state = 'done' AND fetched_at < %(before)s FOR UPDATE
