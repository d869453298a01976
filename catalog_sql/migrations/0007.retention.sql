-- Overview files that were deleted because they are kept for a time only.
-- depends: 0003.scale

-- A range that is fetched again later has its file again: then deleted_at lies before the fetch.
CREATE TABLE expired_overviews (
    range_id integer PRIMARY KEY,
    deleted_at timestamptz NOT NULL
);
