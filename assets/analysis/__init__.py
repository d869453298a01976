"""What analysts look at: figures about the whole index, estimates of the whole target, and proposals for the garbage signature table."""
