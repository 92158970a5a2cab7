"""The page: a small server on this machine that answers what `compare`, `rank` and `plan` answer.

It keeps no files and no users: every request brings its data and its settings.
"""
