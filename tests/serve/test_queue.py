"""The fair queue: clients take turns, places are never lost."""

from __future__ import annotations

import asyncio

import pytest

from truespec.serve.queue import FairQueue, Full


def test_one_greedy_client_does_not_starve_another() -> None:
    order: list[str] = []

    async def work(queue: FairQueue, client: str) -> None:
        async with queue.turn(client):
            order.append(client)
            await asyncio.sleep(0)

    async def run() -> None:
        queue = FairQueue(1, 100)
        greedy = [asyncio.create_task(work(queue, "greedy")) for _ in range(20)]
        await asyncio.sleep(0)
        modest = asyncio.create_task(work(queue, "modest"))
        await asyncio.gather(*greedy, modest)
        assert (queue.free, queue.waiting) == (1, 0)

    asyncio.run(run())
    assert order.index("modest") <= 3


def test_a_full_queue_refuses() -> None:
    async def run() -> None:
        queue = FairQueue(1, 1)
        async with queue.turn("a"):
            waiting = asyncio.create_task(queue._enter("b"))
            await asyncio.sleep(0)
            with pytest.raises(Full):
                await queue._enter("c")
            waiting.cancel()
        assert queue.waiting == 0 or waiting.cancelled()

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(5))
def test_cancelled_waits_lose_no_place(seed: int) -> None:
    import random

    chance = random.Random(seed)

    async def work(queue: FairQueue, client: str) -> None:
        async with queue.turn(client):
            for _ in range(chance.randrange(3)):
                await asyncio.sleep(0)

    async def run() -> None:
        queue = FairQueue(2, 1_000)
        tasks = [asyncio.create_task(work(queue, str(chance.randrange(4)))) for _ in range(200)]
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0)
            chance.choice(tasks).cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (queue.free, queue.waiting) == (2, 0)

    asyncio.run(run())
