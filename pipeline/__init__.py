"""The domain, pure: NNTP overview to frames, subjects, files, releases, garbage, probes, fragments, planning.

Bytes and frames in, frames out. Sockets live in `pipeline.nntp` alone. What does not belong here: Dagster, SQL, paths.
"""
