"""Counting: coded columns come in, whole numbers go out. The only place that looks at rows.

A column is coded to small integers (`codes`), and kept as row lists or as bit planes, two layouts
with one interface. How often values occur together is counted here and nowhere else.
"""
