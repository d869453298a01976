"""Benchmarks: ratios inside one run, since machines are shared and noisy. `overlake bench` runs them; nothing imports this."""
