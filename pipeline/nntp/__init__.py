"""NNTP: connections, wire forms, fetching a range. The only place with sockets."""
