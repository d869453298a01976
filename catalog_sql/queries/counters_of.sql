SELECT lines, malformed, duplicate, outside_main, set_aside_random, set_aside_obfuscated, set_aside_text, repeated, garbage, kept, in_fragments
FROM counters
WHERE owner_id = %(owner)s
