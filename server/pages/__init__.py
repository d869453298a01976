"""The web pages: rendered on the server, complete without JavaScript, private unless a key is given."""
