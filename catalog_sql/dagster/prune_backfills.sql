-- Old backfills that are over: each row holds all of its partition keys.
DELETE FROM bulk_actions WHERE status NOT IN ('REQUESTED', 'CANCELING', 'FAILING') AND timestamp < %(before)s
