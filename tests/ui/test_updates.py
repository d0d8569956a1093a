"""What the page's streams send last: nothing that could blank or age what another stream has drawn."""

import gradio as gr

from ui.chat import _updates


async def frames(*given):
    for frame in given:
        yield frame


async def test_an_empty_stream_leaves_the_page_as_it_is():
    assert [update async for update in _updates(frames())] == [gr.skip()]


async def test_a_stream_ends_by_leaving_the_page_as_it_is():
    sent = [update async for update in _updates(frames(["a"], ["a", "b"]))]
    assert sent == [["a"], ["a", "b"], gr.skip()]
