-- What kind of failure a range ended with, and how many in a row: both decide whether and when it is tried again by itself.
-- depends: 0003.scale

ALTER TABLE ranges
    ADD COLUMN error_kind text,
    ADD COLUMN failures integer NOT NULL DEFAULT 0;
