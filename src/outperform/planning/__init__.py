"""Planning: how often a study of some size reaches its goal, and how many items it takes.

A population says what items are like (`truths`, `populations`); studies are drawn from it and judged, many at a time
(`judging`, by `expansion` wherever that is sure), in this process or elsewhere (`jobs`); a goal says what counts
(`goals`). What a finished comparison says of more data without any of that is in `outlook`.
"""
