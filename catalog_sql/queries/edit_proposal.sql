UPDATE signature_proposals SET signature = %(signature)s, verdict = %(verdict)s, reason = %(reason)s
WHERE proposal_id = %(proposal)s AND state = 'open'
