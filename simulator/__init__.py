"""A synthetic Usenet provider: a real NNTP server in front of a deterministic, labelled history.

`history` makes any block of any group alone; `spans`, `tools`, `names` and `dirt` are what its lines are made of; `blocks`
keeps blocks compressed, `wire` puts them in the forms that providers send; `session` and `server` speak NNTP; `command` is
what `overlake simulate` and `python -m simulator` run.
"""
