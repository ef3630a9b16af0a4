from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel.memory import MemoryCache, Origin, bytes_of
from intemi.kernel.record import ABSENT


def origin(number: int) -> Origin:
    return b"machine", "output", number


def kept(cache: MemoryCache, *numbers: int) -> list[int]:
    return [number for number in numbers if cache.get(origin(number)) is not ABSENT]


def filled(limit: int, count: int, size: int = 10) -> MemoryCache:
    cache = MemoryCache(limit)
    for number in range(count):
        cache.put(origin(number), f"value {number}", size)
    return cache


def test_a_value_is_there_as_long_as_there_is_room() -> None:
    cache = filled(limit=30, count=3)
    assert [cache.get(origin(number)) for number in range(3)] == ["value 0", "value 1", "value 2"]
    assert cache.size == 30


def test_what_was_not_used_for_the_longest_time_goes_first() -> None:
    cache = filled(limit=30, count=3)
    cache.get(origin(0))
    cache.put(origin(3), "value 3", 10)
    assert kept(cache, 0, 1, 2, 3) == [0, 2, 3]


def test_what_is_held_goes_last() -> None:
    cache = filled(limit=30, count=3)
    cache.hold([origin(0), origin(1)])
    cache.put(origin(3), "value 3", 10)
    assert kept(cache, 0, 1, 2, 3) == [0, 1, 3]
    cache.put(origin(4), "value 4", 20)
    assert kept(cache, 0, 1, 2, 3, 4) == [1, 4], "for want of anything else"


def test_what_was_held_twice_must_be_released_twice() -> None:
    cache = filled(limit=30, count=3)
    cache.hold([origin(0), origin(0)])
    cache.release([origin(0)])
    cache.put(origin(3), "value 3", 10)
    assert kept(cache, 0, 1) == [0]
    cache.release([origin(0)])
    for number in (4, 5, 6):
        cache.put(origin(number), f"value {number}", 10)
    assert kept(cache, 0) == []


def test_the_last_value_is_kept_however_large_it_is() -> None:
    cache = filled(limit=30, count=3)
    cache.put(origin(3), "value 3", 1000)
    assert kept(cache, 0, 1, 2, 3) == [3]
    cache.put(origin(4), "value 4", 10)
    assert kept(cache, 3, 4) == [4]


def test_a_value_that_is_put_again_counts_once() -> None:
    cache = filled(limit=30, count=1)
    cache.put(origin(0), "another", 20)
    assert cache.get(origin(0)) == "another"
    assert cache.size == 20


def test_what_is_pinned_stays_and_does_not_count() -> None:
    cache = MemoryCache(10)
    cache.pin(origin(0), "mine")
    for number in range(1, 5):
        cache.put(origin(number), f"value {number}", 10)
    assert cache.get(origin(0)) == "mine"
    assert cache.size == 10


def test_none_is_a_value_and_nothing_is_absent() -> None:
    cache = MemoryCache(10)
    cache.put(origin(0), None, 1)
    assert cache.get(origin(0)) is None
    assert cache.get(origin(1)) is ABSENT


class Part:
    is_shared = True

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes


def test_a_part_that_values_share_counts_once_and_until_the_last_of_them_goes() -> None:
    cache, part = MemoryCache(10_000), Part(1000)
    counted = bytes_of(part)
    for number in range(3):
        cache.put(origin(number), number, 10, [part])
    assert cache.size == 30 + counted
    cache.put(origin(0), "another", 10)
    cache.put(origin(1), "another", 10)
    assert cache.size == 30 + counted
    cache.put(origin(2), "another", 10)
    assert cache.size == 30


def test_the_parts_of_what_was_dropped_go_with_it() -> None:
    cache = MemoryCache(10_000)
    for number in range(20):
        cache.put(origin(number), number, 10, [Part(3000)])
        assert cache.size <= 10_000
    assert kept(cache, *range(20)) == [17, 18, 19]


def test_parts_of_what_is_pinned_do_not_count() -> None:
    cache, part = MemoryCache(1000), Part(50_000)
    cache.put(origin(0), "before", 10, [part])
    cache.pin(origin(1), [part])
    cache.put(origin(2), "after", 10, [part])
    assert cache.size == 20
    assert kept(cache, 0, 1, 2) == [0, 1, 2]


def test_a_part_in_use_that_is_larger_than_the_limit_drives_out_nothing_else() -> None:
    cache, part = MemoryCache(1000), Part(50_000)
    cache.put(origin(0), "view", 10, [part])
    cache.hold([origin(0)])
    for number in range(1, 5):
        cache.put(origin(number), number, 10)
    assert kept(cache, 0, 1, 2, 3, 4) == [0, 1, 2, 3, 4]
    cache.release([origin(0)])
    cache.put(origin(5), 5, 10)
    assert cache.size <= 1000
    assert 0 not in kept(cache, 0)


NUMBERS = st.integers(0, 7)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NUMBERS, st.integers(0, 40)),
        st.tuples(st.just("get"), NUMBERS, st.just(0)),
        st.tuples(st.just("hold"), NUMBERS, st.just(0)),
        st.tuples(st.just("release"), NUMBERS, st.just(0)),
    ),
    max_size=60,
)


@given(OPERATIONS, st.integers(1, 100))
def test_it_drops_what_a_simple_model_of_it_drops(operations: list[tuple[str, int, int]], limit: int) -> None:
    cache = MemoryCache(limit)
    sizes: OrderedDict[int, int] = OrderedDict()
    held: Counter[int] = Counter()
    for operation, number, size in operations:
        if operation == "put":
            cache.put(origin(number), number, size)
            sizes.pop(number, None)
            sizes[number] = size
            for candidates in ([n for n in sizes if not held[n]], list(sizes)):
                for candidate in candidates:
                    if sum(sizes.values()) > limit and candidate != number:
                        sizes.pop(candidate, None)
        elif operation == "get":
            cache.get(origin(number))
            if number in sizes:
                sizes.move_to_end(number)
        elif operation == "hold":
            cache.hold([origin(number)])
            held[number] += 1
        elif held[number]:
            cache.release([origin(number)])
            held[number] -= 1
        assert cache.size == sum(sizes.values())
        assert list(cache._values) == [origin(number) for number in sizes]


def test_many_threads_leave_the_books_in_order() -> None:
    cache = MemoryCache(500)
    errors: list[BaseException] = []
    line = threading.Lock()

    def use(seed: int) -> None:
        try:
            for step in range(2000):
                number = (step * (seed + 3)) % 97
                with line:
                    cache.hold([origin(number)])
                cache.put(origin(number), number, 1 + number % 13)
                assert cache.get(origin(number)) in (number, ABSENT)
                with line:
                    cache.release([origin(number)])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=use, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors
    assert cache.size == sum(size for _, size, _ in cache._values.values()) <= 500
    assert not cache._held


def test_the_cost_of_putting_a_value_does_not_grow_with_the_number_of_values() -> None:
    def seconds(count: int) -> float:
        cache = filled(limit=10 * count, count=count)
        began = time.thread_time()
        for number in range(count, count + 500):
            cache.put(origin(number), number, 10)
        return time.thread_time() - began

    few, many = min(seconds(100) for _ in range(3)), min(seconds(50_000) for _ in range(3))
    assert many < 20 * few, "it is five hundred times as full"
