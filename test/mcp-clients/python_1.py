"""Lists and calls tools with the Python package mcp 1.x. Reads a job and writes the results as JSON."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamablehttp_client


async def main(job):
    headers = {"Authorization": f"Bearer {job['key']}"}
    open_transport = sse_client if job["transport"] == "sse" else streamablehttp_client
    async with open_transport(job["url"], headers=headers) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            started = await session.initialize()
            tools = await session.list_tools()
            results = [await session.call_tool(call["name"], call["arguments"]) for call in job["calls"]]
    return {
        "version": started.protocolVersion,
        "tools": [tool.name for tool in tools.tools],
        "results": [result.model_dump(by_alias=True, mode="json") for result in results],
    }


print(json.dumps(asyncio.run(main(json.load(sys.stdin)))))
