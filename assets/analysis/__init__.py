"""What follows for analysts from all that is indexed: estimates of the whole target, and proposals for the garbage signature table."""
