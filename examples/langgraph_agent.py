"""A LangGraph agent with a project's memory as tools: `python examples/langgraph_agent.py "how are uploads sent?"`.

Needs `pip install waypost langgraph langchain-openai` and `OPENAI_API_KEY`. Any chat model of LangChain works.
"""

import sys
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from waypost import Memory


def memory_tools(memory: Memory) -> list[BaseTool]:
    @tool
    def recall(question: str) -> str:
        """Look up code, facts and decisions of this project. Stale ones are marked: check the code."""
        return memory.brief(question, tokens=1000).text or "Nothing relevant found."

    @tool
    def remember(fact: str, code: str = "") -> str:
        """Store a fact for later sessions. `code` is what it is about: PATH, PATH#NAME or PATH#L1-L9."""
        receipt = memory.remember(fact, refs=code)
        return f"{receipt.status}: {receipt.id}"

    return [recall, remember]


def agent(memory: Memory, model: BaseChatModel) -> Any:
    """A graph that calls the model, then the tools it asks for, until it answers."""
    tools = memory_tools(memory)
    with_tools = model.bind_tools(tools)

    def answer(state: MessagesState) -> dict[str, Any]:
        briefing = memory.brief(str(state["messages"][0].content), tokens=500).text
        return {"messages": [with_tools.invoke([SystemMessage(briefing or "You help with code."), *state["messages"]])]}

    graph = StateGraph(MessagesState)
    graph.add_node("answer", answer)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "answer")
    graph.add_conditional_edges("answer", tools_condition)
    graph.add_edge("tools", "answer")
    return graph.compile()


if __name__ == "__main__":
    from langchain_openai import ChatOpenAI

    with Memory.open(".") as project:
        result = agent(project, ChatOpenAI(model="gpt-5-mini")).invoke({"messages": [("user", sys.argv[1])]})
        print(result["messages"][-1].content)
