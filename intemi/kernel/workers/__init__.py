"""Task managers: where leaves run.

`base` is the contract: a manager takes calls and returns models or errors. `slots` are managers with a thread for each
running leaf, `dispatch` sends leaves away. `threads` and `processes` are the two kinds of slots that this package has.
A leaf travels to a worker process by `transport`, its classes by `definitions`; `worker_main` is what the process runs.
"""
