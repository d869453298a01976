SELECT proposal_id, signature, verdict, reason, cost, articles, bytes, releases, random_share, completeness, lifetime_days, posters,
    crossposted, article_bytes, groups, tools, members, examples, state, proposed_at, decided_at, signature_table
FROM signature_proposals
WHERE state = ANY (%(states)s) AND (%(proposals)s::integer[] IS NULL OR proposal_id = ANY (%(proposals)s))
ORDER BY articles DESC, signature, verdict
