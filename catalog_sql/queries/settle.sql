-- Candidates are the open releases; one that an open span or an unread stretch of one of its groups could still add to stays open.
-- Rows that a commit holds are skipped: it opens them again, and settling never waits in a circle with it.
WITH spans AS MATERIALIZED (
    SELECT group_id, span_from - %(margin)s::interval AS span_from, span_to + %(margin)s::interval AS span_to FROM open_spans
), covered AS MATERIALIZED (
    SELECT group_id, min(covered_to) AS covered_to FROM frontiers GROUP BY group_id
), ready AS (
    SELECT release_id
    FROM open_releases JOIN releases USING (release_id) JOIN group_sets USING (set_id)
    WHERE open_releases.changed_at <= %(now)s::timestamptz - %(quiet)s::interval
        AND NOT EXISTS (
            SELECT FROM spans
            WHERE spans.group_id = ANY (group_sets.groups)
                AND spans.span_from <= releases.last_posted AND spans.span_to >= releases.first_posted
        )
        AND NOT EXISTS (
            SELECT FROM covered
            WHERE covered.group_id = ANY (group_sets.groups) AND covered.covered_to < releases.last_posted + %(margin)s::interval
        )
    FOR UPDATE OF open_releases SKIP LOCKED
), final AS (
    DELETE FROM open_releases USING ready, releases
    WHERE open_releases.release_id = ready.release_id AND releases.release_id = ready.release_id
    RETURNING releases.base_key, releases.first_posted, releases.last_posted
), promoted AS (
    SELECT probes.file_id, probes.ordinal
    FROM final
    JOIN records ON records.base_key = final.base_key AND records.first_posted BETWEEN final.first_posted AND final.last_posted
    JOIN probes USING (file_id, ordinal)
    WHERE NOT probes.settled
    FOR UPDATE OF probes SKIP LOCKED
), probes_first AS (
    UPDATE probes SET settled = true FROM promoted WHERE (probes.file_id, probes.ordinal) = (promoted.file_id, promoted.ordinal)
)
SELECT count(*) FROM final
