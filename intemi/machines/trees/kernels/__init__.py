"""The compiled kernels of the trees. Importing one of these modules compiles it, or loads what was compiled before; the
first tree on a computer compiles them all.

`cells` packs what a scan reads, `cuts`, `bins` and `symbols` find the best split of one feature, `grow` a whole tree,
`route` sends rows down a tree. Nothing here knows of components: a quality measure comes as a compiled function.
"""
