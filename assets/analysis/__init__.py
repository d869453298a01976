"""What analysts look at: figures about the whole index."""
