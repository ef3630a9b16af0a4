from __future__ import annotations

import pytest

from intemi.series import SeriesError
from intemi.series.libraries import needed


def test_a_library_that_is_not_installed_is_named_with_the_extra_that_brings_it() -> None:
    with pytest.raises(
        SeriesError, match=r"to_arrow: nowhere is needed and not installed; pip install 'intemi\[frames\]'"
    ):
        needed("nowhere", "to_arrow")
