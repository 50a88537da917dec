"""Every address of the server with odd bodies and queries: no fault, one line for each error."""

import random
from collections import Counter

import pytest

from support.fuzzing.http_requests import NAMES, list_operations, make_request
from support.page_server import begin
from support.repetition import repeat

JSON = {"content-type": "application/json"}
ALLOWED = {200, 201, 204, 400, 404, 409, 413, 422, 429}
BUSY = 503
"""A worker process that is late on a busy machine, which the server names as such."""

SLOW = ("puzzles", "learners", "review", "evaluation", "advice", "rules-test", "verdict")
"""Parts of addresses whose work takes seconds; few of their requests are tried."""


@pytest.mark.timeout(1200)
def test_odd_requests_are_answered_or_refused_in_one_line(server, client):
    operations = list_operations(client.get("/api/openapi.json").json())
    assert len(operations) > 30
    source = random.Random(21)
    ids = [begin(client, name)["id"] for name in NAMES]
    ids.append(begin(client, "backgammon", rules="money")["id"])
    statuses = Counter()
    for number in range(repeat(4, 400)):
        for operation in operations:
            is_slow = any(word in operation.path for word in SLOW)
            if is_slow and number % 20 != 10:
                continue
            request = make_request(operation, ids, source)
            answer = client.request(
                request.method,
                request.path,
                params=request.query,
                content=request.body,
                headers=JSON,
            )
            statuses[answer.status_code] += 1
            assert answer.status_code in {*ALLOWED, BUSY}, (request, answer.text)
            if answer.status_code >= 400:
                detail = answer.json()["detail"]
                assert 0 < len(detail) < 500, (request, detail)
                assert "\n" not in detail, (request, detail)
                assert "Traceback" not in detail, request
    assert server.process.poll() is None
    assert {200, 422} <= statuses.keys(), statuses
    assert statuses[BUSY] <= statuses.total() / 20, statuses
    print(f"{statuses.total()} requests: {dict(statuses)}")
