"""What we measure, against whom: `python -m benchmarks [name ...] [--quick]`.

`requests` is the cost of a request beside that of other caches, `scaling` the cost and the memory of many machines,
`configuration` the cost of a configuration as a value, and of the import, `reading` that of files beside other readers,
`cross_validation` and `parameter_search` that of experiments beside scikit-learn, `repository` that of results, written
and asked for, beside sqlite3. `against_others` compares what `searches` for a classifier find in the same time.
`peers` holds what is compared, `report` how it is measured and printed.
"""
