-- Open proposals that the evidence no longer makes.
DELETE FROM signature_proposals
WHERE state = 'open' AND (signature, verdict) NOT IN (SELECT * FROM unnest(%(signatures)s::text[], %(verdicts)s::text[]))
