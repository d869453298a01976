INSERT INTO counters VALUES (
    %(owner)s, %(lines)s, %(malformed)s, %(duplicate)s, %(outside_main)s, %(set_aside_random)s, %(set_aside_obfuscated)s,
    %(set_aside_text)s, %(repeated)s, %(garbage)s, %(kept)s, %(in_fragments)s
)
ON CONFLICT (owner_id) DO UPDATE SET
    lines = excluded.lines, malformed = excluded.malformed, duplicate = excluded.duplicate, outside_main = excluded.outside_main,
    set_aside_random = excluded.set_aside_random, set_aside_obfuscated = excluded.set_aside_obfuscated,
    set_aside_text = excluded.set_aside_text, repeated = excluded.repeated, garbage = excluded.garbage, kept = excluded.kept,
    in_fragments = excluded.in_fragments
