"""Lists and calls tools with the Python package mcp 2.x. Reads a job and writes the results as JSON."""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


async def main(job):
    headers = {"Authorization": f"Bearer {job['key']}"}
    if job["transport"] == "sse":
        transport = sse_client(job["url"], headers=headers)
    else:
        transport = streamable_http_client(job["url"], http_client=create_mcp_http_client(headers=headers))
    async with Client(transport, **job["options"]) as client:
        tools = await client.list_tools()
        results = [await client.call_tool(call["name"], call["arguments"]) for call in job["calls"]]
        version = client.protocol_version
    return {
        "version": version,
        "tools": [tool.name for tool in tools.tools],
        "results": [result.model_dump(by_alias=True, mode="json") for result in results],
    }


print(json.dumps(asyncio.run(main(json.load(sys.stdin)))))
