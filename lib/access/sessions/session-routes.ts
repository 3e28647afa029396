import * as z from 'zod';
import { digestOf } from '#lib/access/api-key.ts';
import { asPerson } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import { endSession, endSessions } from '#lib/identity/sessions/end-sessions.ts';
import { mustBeOwnSignIn } from '#lib/identity/sessions/own-page.ts';
import { type SessionItem, type SessionPointer, SessionRecord } from '#lib/identity/sessions/session.ts';
import { notFound } from '#lib/platform/errors.ts';
import { Reply, route } from '#lib/platform/http/route.ts';
import { noCookie, type Sent, sessionToken } from './cookie.ts';
import { currentSession, ownSessions } from './list-sessions.ts';

const row = route<Context>();

export const sessionRows = [
  row({
    method: 'GET',
    path: '/v1/session',
    access: 'read',
    summary: 'The session by which this call was made; null where it was made with a key',
    status: 200,
    reply: SessionRecord.nullable(),
    run: currentSession,
  }),
  row({
    method: 'DELETE',
    path: '/v1/session',
    access: 'open',
    summary: 'Sign out: ends the session of the cookie, if there is one, and takes the cookie away',
    status: 204,
    errors: ['FORBIDDEN', 'UNAUTHORIZED'],
    run: signOut,
  }),
  row({
    method: 'GET',
    path: '/v1/sessions',
    access: 'own',
    summary: "One's own sessions, newest first",
    status: 200,
    reply: z.array(SessionRecord),
    run: ownSessions,
  }),
  row({
    method: 'DELETE',
    path: '/v1/sessions',
    access: 'own',
    summary: "End one's own sessions, all but the one that asks",
    status: 204,
    run: (context) => endSessions(context, context.caller.user_id, context.session),
  }),
  row({
    method: 'DELETE',
    path: '/v1/sessions/{id}',
    access: 'own',
    summary: "End one of one's own sessions",
    status: 204,
    load: (context, { id }) => requireSession(context, id),
    run: (context, { loaded }) => endSession(context, loaded),
  }),
];

async function signOut(context: Context, sent: Sent): Promise<Reply<undefined>> {
  const { ports, keys } = context;
  mustBeOwnSignIn(sent.headers, ports.settings);
  const token = sessionToken(sent, ports.settings);
  const session = token && (await ports.table.get<SessionItem>(keys.session(digestOf(token))));
  if (session) {
    const { tenant_id: tenant, user_id } = session;
    const caller = asPerson({ id: user_id, email: '' });
    await endSession({ ...context, tenant, caller, origin: { ...context.origin, via: 'console' } }, session);
  }
  return new Reply(undefined, {}, [noCookie(sent, ports.settings)]);
}

/** Throws NOT_FOUND. */
async function requireSession({ ports, keys, tenant, caller }: Context, id: string): Promise<SessionItem> {
  const pointer = await ports.table.get<SessionPointer>(keys.sessionPointer(tenant, caller.user_id, id));
  const session = pointer && (await ports.table.get<SessionItem>(keys.session(pointer.digest)));
  if (!session) throw notFound(`Session ${id}`);
  return session;
}
