"""What a new user gets: tables with a known truth, our defaults, and the rivals as they are.

``python -m benchmarks.first_answer`` makes the table of `docs/first-answer.md`.
"""
