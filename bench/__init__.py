"""Benches: our speed and accuracy, as ratios to a reference in the same run.

    python -m bench                 all of them, one table
    python -m bench draws startup   some of them

Times depend on the machine, ratios hardly do. Each bench is a module with a function `bench` that
returns rows of the table.
"""
