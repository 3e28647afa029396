import { type Step, WALK_ORIGIN } from './example-steps.ts';

/** Requests about users, keys, skills and sign-in. They follow STEPS, whose resources they need. */
export const ACCESS_STEPS: readonly Step[] = [
  {
    endpoint: 'POST /v1/settings/users/invite',
    body: () => ({ email: 'ben@example.com', role: 'member' }),
    made: ['users', 'id'],
  },
  {
    endpoint: 'POST /v1/invitations/accept',
    body: (_, replies) => ({ token: replies['POST /v1/settings/users/invite'].invite_token, name: 'Ben' }),
  },
  { endpoint: 'PUT /v1/settings/users/{id}', body: () => ({ name: 'Ben Miller' }) },
  { endpoint: 'POST /v1/settings/users/{id}/sign-in-link', body: () => ({ revoke: false }) },
  {
    endpoint: 'POST /v1/sign-in/link',
    body: (_, replies) => ({ token: replies['POST /v1/settings/users/{id}/sign-in-link'].url.split('/').at(-1) }),
  },
  {
    endpoint: 'POST /v1/skills',
    body: ({ actions }) => ({
      slug: 'backup-ops',
      name: 'Backup operations',
      description: 'Restarts failed nightly backups',
      version: '1.0.0',
      tools: [
        {
          name: 'restart_backup',
          description: 'Restarts the nightly backup of a check',
          inputSchema: { type: 'object', required: ['check_id'], properties: { check_id: { type: 'string' } } },
          action_id: actions,
        },
      ],
    }),
    made: ['skills', 'slug'],
  },
  { endpoint: 'PUT /v1/skills/{slug}', body: () => ({ version: '1.0.1' }) },
  { endpoint: 'POST /v1/auth/keys', body: () => ({ label: 'dashboard', is_read_only: true }), made: ['keys', 'id'] },
  { endpoint: 'POST /v1/sign-in/passkeys/options', byPage: true },
  {
    endpoint: 'POST /v1/sign-in/passkeys',
    body: (_, replies, authenticator) => ({
      name: 'laptop',
      response: authenticator.create(replies['POST /v1/sign-in/passkeys/options'], WALK_ORIGIN),
    }),
    byPage: true,
    made: ['passkeys', 'id'],
  },
  { endpoint: 'PUT /v1/sign-in/passkeys/{id}', body: () => ({ name: 'old laptop' }) },
  { endpoint: 'POST /v1/sign-in/passkey/options', byPage: true },
  {
    endpoint: 'POST /v1/sign-in/passkey',
    body: (_, replies, authenticator) => ({
      response: authenticator.get(replies['POST /v1/sign-in/passkey/options'], WALK_ORIGIN),
    }),
    byPage: true,
  },
  {
    endpoint: 'POST /v1/sign-in/key',
    body: (_, replies) => ({ key: replies['POST /v1/auth/keys'].key }),
    made: ['sessions', 'id'],
  },
  {
    endpoint: 'POST /v1/auth/keys',
    body: ({ checks }) => ({ label: 'nightly backup', scopes: ['push'], check_ids: [checks] }),
    made: ['keys', 'id'],
  },
  { endpoint: 'PUT /v1/auth/keys/{id}', body: () => ({ label: 'nightly backup of the shop' }) },
  { endpoint: 'POST /v1/auth/keys/{id}/rotate', body: () => ({ overlap_seconds: 3600 }) },
  {
    endpoint: 'POST /v1/settings/users/{id}/sign-in-link',
    at: (replies) => ({ users: replies['POST /v1/auth/keys'].created_by }),
  },
  {
    endpoint: 'POST /v1/sign-in/oidc',
    body: (_, replies) => ({
      token: replies['POST /v1/settings/users/{id}/sign-in-link'].url.split('/').at(-1),
      return_to: '/#/checks',
    }),
    byPage: true,
  },
  {
    endpoint: 'GET /v1/sign-in/oidc/callback',
    query: (replies) => {
      const { state = '', nonce = '' } = Object.fromEntries(new URL(replies['POST /v1/sign-in/oidc'].url).searchParams);
      return { state, code: nonce };
    },
  },
  { endpoint: 'GET /v1/sign-in/identities', made: ['identities', '0.id'] },
];
