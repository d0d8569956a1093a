"""The only way HTML gets on the page: a constant template, data in `value`, the DOM built by `static/js`.

Gradio evaluates templates as code, so a template never holds data. It learns a component's event names from quoted
words in `js_on_load`, and the page's own scripts may finish after the first component is mounted; hence the wait.
"""

from typing import Any

import gradio as gr

TEMPLATE = "<div data-cs></div>"
MOUNT = (
    "const go = () => window.CS && CS.ready ? CS.mount(element, props, watch, trigger) : setTimeout(go, 15);"
    " go(); /* events: 'look' 'busy' 'free' */"
)


def component(value: dict[str, Any] | None = None, **options: Any) -> gr.HTML:
    """A gr.HTML that `CS.mount` draws from its value."""
    return gr.HTML(
        value=value,
        html_template=TEMPLATE,
        js_on_load=MOUNT,
        apply_default_css=False,
        container=False,
        padding=False,
        **options,
    )
