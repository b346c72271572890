"""An agent of the OpenAI Agents SDK with a project's memory as tools: `python examples/openai_agent.py "how are uploads sent?"`.

Needs `pip install waypost openai-agents` and `OPENAI_API_KEY`.
"""

import asyncio
import sys

from agents import Agent, Model, RunContextWrapper, Runner, function_tool
from waypost import AsyncMemory


@function_tool
async def recall(context: RunContextWrapper[AsyncMemory], question: str) -> str:
    """Look up code, facts and decisions of this project. Stale ones are marked: check the code."""
    briefing = await context.context.brief(question, tokens=1000)
    return briefing.text or "Nothing relevant found."


@function_tool
async def remember(context: RunContextWrapper[AsyncMemory], fact: str, code: str = "") -> str:
    """Store a fact for later sessions. `code` is what it is about: PATH, PATH#NAME or PATH#L1-L9."""
    receipt = await context.context.remember(fact, refs=code)
    return f"{receipt.status}: {receipt.id}"


def agent(model: str | Model) -> Agent[AsyncMemory]:
    return Agent[AsyncMemory](
        name="Developer",
        instructions="You help with this project. Recall before you answer. Remember what later sessions need.",
        tools=[recall, remember],
        model=model,
    )


async def ask(memory: AsyncMemory, question: str, model: str | Model = "gpt-5-mini") -> str:
    result = await Runner.run(agent(model), question, context=memory)
    return str(result.final_output)


async def main(question: str) -> None:
    async with await AsyncMemory.open(".") as memory:
        print(await ask(memory, question))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
