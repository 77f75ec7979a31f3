"""An MCP server behind `truespec guard mcp`, with a scripted client: no key, no network.

Run it with `pip install "truespec[mcp]"` and `python examples/guard_mcp.py`. In the configuration of a
client, the command of the server becomes `truespec guard mcp --rules policy.yml -- COMMAND...`.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.server.mcpserver import MCPServer

POLICY = Path(__file__).with_name("guard_policy.yml")
shop = MCPServer("shop")


@shop.tool()
def look_up(order: str) -> str:
    """Look an order up."""
    return f"order {order}: 30"


@shop.tool()
def refund(order: str, amount: float) -> str:
    """Refund an order."""
    print(f"REFUNDED {order}", file=sys.stderr, flush=True)
    return "refunded"


SCRIPT = [
    ("refund", {"order": "7", "amount": 30}),  # blocked: not looked up
    ("look_up", {"order": "7"}),
    ("refund", {"order": "7", "amount": 30}),
    ("refund", {"order": "7", "amount": "30"}),  # blocked: refunded already
    ("look_up", {"order": "8"}),
    ("refund", {"order": "8", "amount": "900"}),  # blocked: a person has to approve it
    ("Refund", {"order": "8", "amount": 1}),  # blocked: there is no such tool
]


async def client() -> None:
    """Call the tools of the guarded server and show what they answer."""
    server = [sys.executable, __file__, "serve"]
    guarded = StdioServerParameters(
        command=sys.executable,
        args=["-m", "truespec", "guard", "mcp", "--rules", str(POLICY), "--", *server],
    )
    async with stdio_client(guarded) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        print("tools:", ", ".join(tool.name for tool in (await session.list_tools()).tools))
        for tool, arguments in SCRIPT:
            result = await session.call_tool(tool, arguments)
            print(f"tool: {result.content[0].text.splitlines()[-1]}")  # type: ignore[union-attr]


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        shop.run("stdio")
    else:
        asyncio.run(client())
