"""Four text classifiers on 20 Newsgroups, from raw text."""
