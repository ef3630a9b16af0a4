"""The digest of code that a user wrote: a class outside the package with every helper, base and constant it names.

Uses the canonical encoding and the standard library. Promises one digest in every process for one behaviour: comments,
layout, docstrings and unrelated code do not change it; an edited body, helper or constant does.

A `walk` goes from the class to all that it names. `syntax` reads the code of a function, `names` finds what it names,
`holdings` says what objects and classes hold, and an `encoder` turns values into bytes. `libraries` tells what is not a
user's own, `refusal` what is said of values that cannot be known. A `watch` tells whether a name was rebound since.
"""

from intemi.kernel.source.libraries import is_by_user, release_of
from intemi.kernel.source.syntax import encoded_syntax
from intemi.kernel.source.walk import fingerprint, watched_fingerprint
from intemi.kernel.source.watch import Watch

__all__ = ["fingerprint", "watched_fingerprint", "Watch", "is_by_user", "release_of", "encoded_syntax"]
