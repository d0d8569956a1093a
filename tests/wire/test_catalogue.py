"""The real catalogue is one that strict providers take: names, schemas, descriptions, for both APIs."""

from langchain_core.messages import HumanMessage

from agent.model import Ask
from tools.always import ALWAYS
from tools.catalogue import WORKSPACE


async def test_all_tools_of_the_workspace_can_be_offered(wire, model):
    schemas = [spec.json_schema() for spec in (*WORKSPACE, *ALWAYS)]
    wire.push("Hello.")
    message = await model.reply(Ask([HumanMessage("hello")], schemas, "en", lambda step: None))
    assert message.text == "Hello."
    assert len(wire.requests[0].body["tools"]) == len(schemas) == 36
