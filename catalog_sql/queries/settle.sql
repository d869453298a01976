-- Candidates are the open releases; one that an open span or an unread stretch of one of its groups could still add to stays open.
-- Rows that a commit holds are skipped: it opens them again, and settling never waits in a circle with it.
WITH spans AS MATERIALIZED (
    SELECT group_id, span_from - %(margin)s::interval AS span_from, span_to + %(margin)s::interval AS span_to FROM open_spans
), covered AS MATERIALIZED (
    SELECT group_id, min(covered_to) AS covered_to FROM frontiers GROUP BY group_id
), ready AS (
    SELECT release_id
    FROM releases
    WHERE NOT settled
        AND changed_at <= %(now)s::timestamptz - %(quiet)s::interval
        AND NOT EXISTS (
            SELECT FROM spans
            WHERE spans.group_id = ANY (releases.groups)
                AND spans.span_from <= releases.last_posted AND spans.span_to >= releases.first_posted
        )
        AND NOT EXISTS (
            SELECT FROM covered
            WHERE covered.group_id = ANY (releases.groups) AND covered.covered_to < releases.last_posted + %(margin)s::interval
        )
    FOR UPDATE SKIP LOCKED
), final AS (
    UPDATE releases
    SET settled = true,
        completeness = CASE WHEN files_expected > 0 AND segments_expected > 0 THEN
            least(1, files::real / files_expected) * least(1, segments::real / segments_expected) END
    WHERE release_id IN (SELECT release_id FROM ready)
    RETURNING base_key, first_posted, last_posted
), promoted AS (
    SELECT probe_id
    FROM final
    JOIN records ON records.base_key = final.base_key AND records.first_posted BETWEEN final.first_posted AND final.last_posted
    JOIN probes USING (file_id, ordinal)
    WHERE NOT probes.settled
    FOR UPDATE OF probes SKIP LOCKED
), probes_first AS (
    UPDATE probes SET settled = true WHERE probe_id IN (SELECT probe_id FROM promoted)
)
SELECT count(*) FROM final
