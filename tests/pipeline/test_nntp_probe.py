from datetime import UTC, datetime, timedelta

import pytest
import stamina

from pipeline.nntp.errors import LoginRefused, NoSuchGroup
from pipeline.nntp.probe import list_groups, plan_group, plan_groups
from tests.pipeline.scripted_server import overview_line, reader, scripted

NOW = datetime(2026, 12, 2, tzinfo=UTC)
GROUP = "alt.binaries.test"


@pytest.fixture(autouse=True)
def without_waits():
    with stamina.set_testing(True, attempts=4):
        yield


def span(line):
    first, last = line.split()[1].split("-")
    return range(int(first), int(last) + 1)


def dated(number, date):
    return overview_line(number).replace(
        b"Thu, 28 Jun 2018 15:25:10 +0000", date.strftime("%a, %d %b %Y %H:%M:%S +0000").encode()
    )


def group_of(articles, low, high, asked=None):
    """A server whose articles are `articles`: number to date."""

    def over(line):
        if asked is not None:
            asked.append(span(line))
        found = b"".join(dated(number, articles[number]) for number in span(line) if number in articles)
        return [b"224 overview\r\n" + found + b".\r\n" if found else b"423 none\r\n"]

    return reader(
        {
            "GROUP": b"211 1 %d %d group\r\n" % (low, high),
            "XOVER": over,
            "LIST ACTIVE": b"215 list\r\na.b 2 1 y\r\n.\r\n",
        }
    )


def test_eras_from_the_first_articles_of_each_range():
    asked = []
    articles = {n: datetime(2015, 1, 1, tzinfo=UTC) + timedelta(days=n / 100) for n in range(1, 20_000)}
    with scripted(group_of(articles, 1, 19_999, asked)) as server:
        found = plan_group(server.account(), 1, GROUP, size=5_000, now=NOW)
    assert [one.range.index for one in found] == [0, 1, 2, 3]
    assert [one.era for one in found] == [201501, 201502, 201504, 201505]
    assert [len(numbers) for numbers in asked] == [100] * 4


def test_holes_are_skipped_and_empty_ranges_known():
    asked = []
    date = datetime(2015, 1, 1, tzinfo=UTC)
    articles = {
        4_999: date,
        15_500: date + timedelta(days=40),
        **{n: date + timedelta(days=70) for n in range(15_501, 15_510)},
    }
    with scripted(group_of(articles, 1, 19_999, asked)) as server:
        found = plan_group(server.account(), 1, GROUP, size=5_000, now=NOW)
    assert [one.first_posted is None for one in found] == [False, True, True, False]
    assert [one.era for one in found] == [201501, 201501, 201501, 201503]
    assert all(numbers.start // 5_000 == numbers[-1] // 5_000 for numbers in asked)
    assert len(asked) < 20


def test_a_broken_connection_goes_on_where_it_was():
    asked = []
    articles = {n: datetime(2015, 1, 1, tzinfo=UTC) for n in range(1, 6_000)}
    server_of = group_of(articles, 1, 5_999, asked)

    def handle(visit):
        if visit.number == 0:
            reader({"GROUP": b"211 1 1 5999 group\r\n", "XOVER": b"400 bye\r\n"})(visit)
        else:
            server_of(visit)

    with scripted(handle) as server:
        assert len(plan_group(server.account(), 1, GROUP, size=100, now=NOW)) == 60
        assert server.visits == 2


def test_groups_are_planned_in_turn_over_several_connections():
    articles = {n: datetime(2015, 1, 1, tzinfo=UTC) for n in range(1, 600)}
    groups = [f"alt.binaries.g{number}" for number in range(5)]
    with scripted(group_of(articles, 1, 599)) as server:
        found = list(plan_groups(server.account(), 1, groups, size=100, now=NOW))
        assert server.visits == 5
    assert [[one.range.group for one in ranges] for ranges in found] == [[group] * 6 for group in groups]


def test_errors_that_retrying_does_not_help():
    with scripted(reader({"GROUP": b"411 no such group\r\n", "LIST": b"480 log in\r\n"})) as server:
        with pytest.raises(NoSuchGroup):
            plan_group(server.account(), 1, GROUP, size=100, now=NOW)
        with pytest.raises(LoginRefused):
            list_groups(server.account())
        assert server.visits == 2


def test_groups_are_listed():
    with scripted(group_of({}, 1, 0)) as server:
        assert [group.name for group in list_groups(server.account())] == ["a.b"]
        assert plan_group(server.account(), 1, GROUP, size=100, now=NOW, include_open=True) == []
