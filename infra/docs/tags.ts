/** What each group of endpoints is about, by the first word of their paths. */
export const tags: Readonly<Record<string, string>> = {
  me: 'The account of a key, its limits, and whose key it is.',
  account: 'Name and contact of the account.',
  audit: 'Who changed what, and when.',
  auth: 'API keys. Every request but a few open ones carries one, or a session: `Authorization: Bearer fw_…`.',
  settings: 'The team: members and pending invitations.',
  invitations: 'Accepting an invitation, without a key.',
  session: 'The session that a browser holds in a cookie, in place of a key, and its end.',
  sessions: "One's own sessions.",
  'sign-in': 'The ways to sign in: each begins a session, whose cookie comes with the answer.',
  blueprints:
    'The catalog: blueprints, which are kinds of things with typed fields, and entities, which are the things.',
  entities: 'An entity of whichever blueprint.',
  relations: 'How entities relate to each other.',
  checks: 'Checks on entities, their results, transitions and gaps, and the policy and channels of their alerts.',
  status: 'The state of everything at a glance, and what changed.',
  history: 'Uptime and latency of several checks at once.',
  health: 'Whether the service itself works.',
  notify: 'What was sent to channels, and all channels there are.',
  actions: 'Outbound calls that run by hand, when a check changes state, or on a schedule; and what came of each run.',
  skills: 'Tools for agents, which find them by MCP.',
  'openapi.json': 'This document.',
};
