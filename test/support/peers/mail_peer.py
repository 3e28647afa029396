"""A mail server (aiosmtpd) that accepts mail over STARTTLS from one user and prints each mail as a line of JSON.

Arguments: host, certificate, key, user, password. Prints its port first. Rejects unknown recipients permanently and
busy mailboxes temporarily."""

import asyncio
import base64
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Mailbox:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("missing@"):
            return "550 5.1.1 No such user here"
        if address.startswith("busy@"):
            return "451 4.7.1 Try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        kept = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "tls": session.ssl is not None,
            "data": base64.b64encode(envelope.content).decode(),
        }
        print(json.dumps(kept), flush=True)
        return "250 OK"


async def main(host, certificate, key, user, password):
    def authenticate(server, session, envelope, mechanism, data):
        known = data.login == user.encode() and data.password == password.encode()
        return AuthResult(success=known, handled=False)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(
            Mailbox(),
            tls_context=context,
            require_starttls=True,
            auth_required=True,
            authenticator=authenticate,
            loop=loop,
        ),
        host,
        0,
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
