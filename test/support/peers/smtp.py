"""A mail server (aiosmtpd) that offers STARTTLS. Arguments: host, certificate, key. Prints its port."""

import asyncio
import ssl
import sys

from aiosmtpd.handlers import Sink
from aiosmtpd.smtp import SMTP


async def main(host, certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Sink(), tls_context=context, loop=loop), host, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
