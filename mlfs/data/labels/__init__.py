"""Which columns are labels, and what their values mean.

In: the names of columns, and label values from a file or from memory. Out: the positions of the
label columns, and a Y of small whole numbers with one `Label` for each of its columns.
`finding` finds the label columns (`mulan` reads what a label file says about them);
`label_values` maps values that were read from a file, and lists with one set of names for each row;
`label_arrays` maps Y given as an array, frame or list, and keeps columns of numbers until they are
binned. `label_sets` takes the labels of a row together.
"""
