"""Results as one page that needs nothing else: graphs in SVG, tables, a comparison of several runs."""
