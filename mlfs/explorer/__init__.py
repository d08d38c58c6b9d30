"""The explorer: data come in, a page on which one can try selections goes out, as one file.

`folds` declares the criteria that the page computes, `exploring` embeds what they need. `page.js`
selects and shows, in the style of the report of a comparison and `explorer.css`.
"""
