"""The tables that the model papers print, run again: ours beside the published."""
