UPDATE signature_proposals SET state = %(state)s, decided_at = now(), signature_table = %(table)s
WHERE proposal_id = ANY (%(proposals)s) AND state = 'open'
