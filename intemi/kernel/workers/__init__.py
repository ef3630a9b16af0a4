"""Task managers: where leaves run.

`base` is the contract: a manager takes calls and returns models or errors. `slots` are managers with a thread for each
running leaf, `dispatch` sends leaves away. `local` is the default: `threads` and `processes` together. A leaf travels
to a worker process by `transport`, its classes by `definitions`; `worker_main` is what the process runs. To workers
that share nothing with the client it travels as `contents`, and runs there as an `encoded_leaf`.
"""
