"""The Newznab API: parameters, functions and capabilities, feeds and errors.

The rules are those of the Newznab and Torznab specifications as the clients read them; each module names the behaviour it follows.
"""
