"""Methods that papers compare with: rows and label matrices in, predictions out.

====================  ========================================================================
powerset              LabelPowerset: each label set is a class; pruned sets. RAkEL: powersets of
                      small sets of labels
nearest               MLkNN, BRkNN: the labels of the nearest training rows. IBLR, CHF: shares of
                      neighbours, or a first layer, as further columns
homer                 HOMER: a hierarchy of label clusters. CalibratedLabelRanking: a classifier for
                      each pair of labels
llsf                  LLSF: sparse linear weights; LLSFFeatures: the columns they choose. Lift: a
                      base learner on distances to clusters
bases                 one choice of columns for all labels, a classifier for each label on more
                      columns than those of X, the log odds of each label
====================  ========================================================================

All use the base learners of `mlfs.models`: each class, pair or cluster is a label without parents.
"""
