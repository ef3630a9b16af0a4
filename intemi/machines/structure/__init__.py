"""Machines that hold machines. They use nothing of the kernel but what any machine may use."""
