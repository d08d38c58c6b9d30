"""The names of the models; the command shows them without importing scikit-learn."""

# those with a label structure, which take features of each label (also as NAME-ldf), and the others
STRUCTURED = (
    *("br", "cc", "kcc", "bcc", "pcc", "pacc", "ctbn", "mc", "mcc", "occ", "ecc", "ebcc", "eocc"),
    *("epcc", "lift", "br-tuned", "br-forest"),
)
WHOLE = (
    *("lp", "ps", "eps", "rakel", "rakeld", "mlknn", "brknn", "iblr", "chf", "homer", "llsf"),
    "clr",
)
