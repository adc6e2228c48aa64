"""The rules of the tuner, by theme. Each looks at a situation and yields findings; none touches or raises anything.

`tune/diagnosis.py` lists them by name.
"""
