-- A proposal with its newest evidence. One that was accepted is open again: it would not be made if its line were still in force.
INSERT INTO signature_proposals (signature, verdict, reason, cost, articles, bytes, releases, random_share, completeness, lifetime_days, posters,
    crossposted, article_bytes, groups, tools, members, examples)
VALUES (%(signature)s, %(verdict)s, %(reason)s, %(cost)s, %(articles)s, %(bytes)s, %(releases)s, %(random_share)s, %(completeness)s,
    %(lifetime_days)s, %(posters)s, %(crossposted)s, %(article_bytes)s, %(groups)s, %(tools)s, %(members)s, %(examples)s)
ON CONFLICT (signature, verdict) DO UPDATE SET reason = excluded.reason, cost = excluded.cost, articles = excluded.articles,
    bytes = excluded.bytes, releases = excluded.releases, random_share = excluded.random_share, completeness = excluded.completeness,
    lifetime_days = excluded.lifetime_days, posters = excluded.posters, crossposted = excluded.crossposted,
    article_bytes = excluded.article_bytes, groups = excluded.groups, tools = excluded.tools, members = excluded.members,
    examples = excluded.examples, proposed_at = now(),
    state = CASE signature_proposals.state WHEN 'accepted' THEN 'open' ELSE signature_proposals.state END
