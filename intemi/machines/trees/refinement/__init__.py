"""Refinement: how a grown tree is cut back, directly or by validation."""
