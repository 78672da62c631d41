"""The page of a report."""

from __future__ import annotations

from pathlib import Path

from card_baselines.league.report import to_html


def test_intervals_in_the_page_stay_on_a_line(tmp_path: Path) -> None:
    page = to_html("# League\n\n| mean |\n| --- |\n| +23.58 [+0.021, +1,042.96] |\n", tmp_path)
    assert "<td>+23.58 [+0.021,&nbsp;+1,042.96]</td>" in page


def test_names_of_members_bring_nothing_into_the_page(tmp_path: Path) -> None:
    (tmp_path / "ranks.png").write_bytes(b"picture")
    text = """# League <of> x

![Ranks, with 95 % intervals](ranks.png)

**members**

| member | made by |
| --- | --- |
| <script>alert(1)</script> | [link](http://a.b) |
| ![seen](http://a.b/c.png) | <http://a.b> |
"""
    page = to_html(text, tmp_path)
    assert "<title>League &lt;of&gt; x</title>" in page and "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>" in page
    assert "<strong>members</strong>" in page
    assert page.count("<img ") == 1 and "data:image/png;base64,cGljdHVyZQ==" in page and "<a " not in page
    assert "<figcaption>Ranks, with 95 % intervals</figcaption>" in page
