"""What a crawl makes of what is stored and what was seen; tests/ports/test_catalog_assets.py applies it."""

from __future__ import annotations

from itertools import count

from forge.catalog.asset import AssetState, AssetType, CrawledAsset, CrawledColumn
from forge.catalog.asset_json import crawled_digest, crawled_json, read_crawled
from forge.catalog.crawl import CrawlChange, CrawlMark, CrawlPlan, SeenAsset, UnmovedAsset, UnreadAsset, plan_crawl


def seen(name: str, key: str = "", **fields: object) -> SeenAsset:
    given: dict[str, object] = {"type": AssetType.TABLE, "source": "lake", **fields}
    return SeenAsset(CrawledAsset(qualified_name=name, key=key, **given), "p")  # type: ignore[arg-type]


def mark(one: SeenAsset, uid: str = "", **fields: object) -> CrawlMark:
    asset = one.asset
    given: dict[str, object] = {
        "source": asset.source,
        "pointer": "p",
        "digest": crawled_digest(crawled_json(asset)),
        **fields,
    }
    return CrawlMark(uid=uid or asset.qualified_name, name=asset.qualified_name, key=asset.key, **given)  # type: ignore[arg-type]


def plan(marks: list[CrawlMark], *sightings: SeenAsset | UnmovedAsset | UnreadAsset, **more: object) -> CrawlPlan:
    numbers = count(1)
    given: dict[str, object] = {"sources": ("lake", "other"), **more}
    return plan_crawl("lake", marks, sightings, lambda: f"new {next(numbers)}", **given)  # type: ignore[arg-type]


def changes(found: CrawlPlan) -> dict[str, str]:
    return {one.asset.qualified_name: one.change.value for one in found.writes}


def test_new_changed_unchanged_and_vanished() -> None:
    one, two, three = seen("a.one"), seen("a.two"), seen("a.three")
    found = plan([mark(one), mark(two), mark(three)], one, seen("a.two", description="x"), seen("a.four"))
    assert changes(found) == {"a.two": "changed", "a.four": "new"}
    assert [gone.name for gone in found.vanished] == ["a.three"]
    assert found.unchanged == 1


def test_what_vanished_before_is_not_marked_again_and_returns() -> None:
    one = seen("a.one", "k")
    assert plan([mark(one, state=AssetState.VANISHED)]).is_empty
    assert changes(plan([mark(one, state=AssetState.VANISHED)], one)) == {"a.one": "returned"}


def test_a_rename_needs_the_same_key_and_that_the_old_name_is_gone() -> None:
    one = seen("a.one", "k")
    renamed = plan([mark(one)], seen("a.two", "k"))
    assert changes(renamed) == {"a.two": "renamed"}
    assert (renamed.writes[0].uid, renamed.writes[0].former_name, renamed.vanished) == ("a.one", "a.one", ())
    copied = plan([mark(one)], one, seen("a.two", "k"))
    assert changes(copied) == {"a.two": "new"}
    assert changes(plan([mark(seen("a.one"))], seen("a.two"))) == {"a.two": "new"}  # no key is no identity


def test_a_vanished_one_is_known_by_its_key_under_another_name() -> None:
    assert changes(plan([mark(seen("a.one", "k"), state=AssetState.VANISHED)], seen("a.two", "k"))) == {
        "a.two": "renamed"
    }


def test_swapped_tables_keep_the_words_of_their_names() -> None:
    marks = [mark(seen("a.orders", "old")), mark(seen("a.orders_new", "new"))]
    found = plan(marks, seen("a.orders", "new"), seen("a.orders_old", "old"))
    assert changes(found) == {"a.orders": "changed", "a.orders_old": "new"}
    assert [gone.name for gone in found.vanished] == ["a.orders_new"]


def test_two_tables_with_one_key_are_one_rename_and_one_new() -> None:
    found = plan([mark(seen("a.one", "k"))], seen("a.two", "k"), seen("a.three", "k"))
    assert sorted(changes(found).values()) == ["new", "renamed"]


def test_what_did_not_move_or_could_not_be_read_stays() -> None:
    one, two = seen("a.one"), seen("a.two")
    found = plan([mark(one), mark(two)], UnmovedAsset("a.one"), UnreadAsset("a.two", "gone"))
    assert found.is_empty
    assert (found.unchanged, found.unread) == (1, (UnreadAsset("a.two", "gone"),))


def test_a_pointer_that_moved_over_the_same_content_is_the_only_write() -> None:
    one = seen("a.one")
    found = plan([mark(one, pointer="before")], one)
    assert (found.writes, found.moved, found.unchanged) == ((), {"a.one": "p"}, 1)


def test_an_asset_is_taken_from_a_source_that_is_declared_no_more() -> None:
    one = seen("a.one")
    assert plan([mark(one, source="other")], one).is_empty
    assert changes(plan([mark(one, source="gone", digest="x")], one)) == {"a.one": "changed"}
    assert changes(plan([mark(one, source="api", digest="x")], one)) == {"a.one": "changed"}


def test_only_what_was_looked_for_can_vanish() -> None:
    one, two = seen("a.one"), seen("a.two")
    found = plan([mark(one), mark(two)], scope={"a.two"})
    assert [gone.name for gone in found.vanished] == ["a.two"]


def test_a_crawled_asset_comes_back_from_its_json() -> None:
    full = seen("a.one", "k", columns=(CrawledColumn("x", "int", False, "d"), CrawledColumn("y", "int")), tags=("t",))
    assert read_crawled(crawled_json(full.asset)) == full.asset
    assert crawled_digest(crawled_json(full.asset)) != crawled_digest(crawled_json(seen("a.one", "k").asset))
    assert CrawlChange.NEW.value == "new"
