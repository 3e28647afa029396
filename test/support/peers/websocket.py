"""A WebSocket server (websockets) that greets, answers ping with pong, and speaks the protocol "chat". Argument: host."""

import asyncio
import sys

from websockets.asyncio.server import serve


async def talk(socket):
    await socket.send("welcome")
    async for message in socket:
        await socket.send("pong" if message == "ping" else message)


async def main():
    async with serve(talk, sys.argv[1], 0, subprotocols=["chat"]) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
