-- What becomes of the lines of each era, in percent?
SELECT era, sum(lines) AS lines, round(100.0 * sum(outside_main) / sum(lines), 1) AS outside_main,
    round(100.0 * sum(set_aside_random + set_aside_obfuscated + set_aside_text) / sum(lines), 1) AS set_aside,
    round(100.0 * sum(garbage) / sum(lines), 1) AS garbage, round(100.0 * sum(kept) / sum(lines), 1) AS kept,
    round(100.0 * sum(in_fragments) / sum(lines), 1) AS in_fragments
FROM counters
WHERE NOT is_edge AND lines > 0
GROUP BY era
ORDER BY era
