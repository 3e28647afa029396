import type { Authenticator } from './authenticator.ts';

/** A body, parsed. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Answer = any;

/** What stands in a collection, by the word of the path before its parameter: `{ checks: 'chk_…' }`. */
export type Places = Record<string, string>;

/** Address of the service that is walked over. */
export const WALKED_PAGE = 'https://status.example.com';

/** One request. */
type Step = {
  endpoint: string;
  /** @param answers of the steps before, by endpoint @param authenticator that of whoever walks */
  body?: (places: Places, answers: Record<string, Answer>, authenticator: Authenticator) => unknown;
  /** Made as a page of ours makes it, at PUBLIC_URL. */
  byPage?: true;
  /** Where it is called, where that is not what was made last. */
  at?: (answers: Record<string, Answer>) => Places;
  /** What it needs of a query, and every cookie that was told so far. */
  query?: (answers: Record<string, Answer>) => Record<string, string>;
  /** Where its answer stands from then on: a collection, and the member that names it there. */
  made?: [collection: string, member: string];
};

/**
 * One good request to every endpoint that takes a body or does something, in an order in which each finds what it
 * needs. A new endpoint has its line here; GET and DELETE need none.
 */
export const STEPS: readonly Step[] = [
  { endpoint: 'PUT /v1/account', body: () => ({ name: 'Example Inc', email: 'ops@example.com' }) },
  {
    endpoint: 'POST /v1/blueprints',
    body: () => ({
      slug: 'service',
      name: 'Service',
      description: 'What we run for others',
      fields: [{ name: 'tier', field_type: 'number', required: true, default_value: '2' }],
    }),
    made: ['blueprints', 'slug'],
  },
  {
    endpoint: 'POST /v1/blueprints/{slug}/fields',
    body: () => ({ name: 'runbook', field_type: 'url' }),
    made: ['fields', 'fields.1.name'],
  },
  {
    endpoint: 'PUT /v1/blueprints/{slug}/fields/{name}',
    body: () => ({ name: 'runbook', field_type: 'url', sort_order: -1 }),
  },
  { endpoint: 'PUT /v1/blueprints/{slug}', body: () => ({ description: 'What our customers see' }) },
  {
    endpoint: 'POST /v1/blueprints/{blueprint_slug}/entities',
    body: () => ({ slug: 'database', name: 'Database', fields: { tier: 1 } }),
    made: ['databases', 'id'],
  },
  {
    endpoint: 'POST /v1/blueprints/{blueprint_slug}/entities',
    body: () => ({
      slug: 'shop',
      name: 'Web shop',
      fields: { tier: 1, runbook: 'https://wiki.example.com/shop' },
      labels: { team: 'payments' },
    }),
    made: ['entities', 'slug'],
  },
  {
    endpoint: 'PUT /v1/blueprints/{blueprint_slug}/entities/{slug}',
    body: () => ({ name: 'Web shop (EU)', fields: { tier: null } }),
  },
  {
    endpoint: 'POST /v1/relations',
    body: ({ databases }, answers) => ({
      from_entity_id: answers['POST /v1/blueprints/{blueprint_slug}/entities'].id,
      to_entity_id: databases,
      relation_type: 'depends_on',
    }),
    made: ['relations', 'id'],
  },
  {
    endpoint: 'POST /v1/checks/test',
    body: () => ({ check_type: 'http', target_url: 'https://shop.example.com/health', timeout_ms: 2000 }),
  },
  {
    endpoint: 'POST /v1/checks',
    body: (_, answers) => ({
      entity_id: answers['POST /v1/blueprints/{blueprint_slug}/entities'].id,
      check_type: 'http',
      name: 'home page',
      target_url: 'https://shop.example.com/health',
      interval_seconds: 86_400,
    }),
    made: ['probed', 'id'],
  },
  { endpoint: 'POST /v1/checks/{id}/run' },
  {
    endpoint: 'POST /v1/checks',
    body: (_, answers) => ({
      entity_id: answers['POST /v1/blueprints/{blueprint_slug}/entities'].id,
      check_type: 'push',
      name: 'nightly backup',
      interval_seconds: 86_400,
      failure_threshold: 1,
      config: { grace_seconds: 90_000 },
    }),
    made: ['checks', 'id'],
  },
  { endpoint: 'PUT /v1/checks/{id}', body: () => ({ config: { grace_seconds: 93_600 } }) },
  {
    endpoint: 'PUT /v1/checks/by-slug/{slug}',
    at: () => ({ 'by-slug': 'shop-cart' }),
    body: () => ({
      entity: 'service/shop',
      check_type: 'http',
      name: 'cart',
      target_url: 'https://shop.example.com/cart',
      interval_seconds: 86_400,
      labels: { tier: '1' },
    }),
    made: ['by-slug', 'slug'],
  },
  {
    endpoint: 'POST /v1/checks/{check_id}/policy',
    body: () => ({ cooldown_seconds: 600, repeat_interval_seconds: 3600 }),
  },
  {
    endpoint: 'POST /v1/checks/{check_id}/policy/channels',
    body: () => ({ channel_type: 'slack', config: { url: 'https://hooks.slack.com/services/T0/B0/x1y2' } }),
    made: ['channels', 'id'],
  },
  {
    endpoint: 'PUT /v1/checks/{check_id}/policy/channels/{channel_id}',
    body: () => ({ config: { url: 'https://hooks.slack.com/services/T0/B0/x1y2z3' } }),
  },
  { endpoint: 'POST /v1/checks/{check_id}/policy/channels/{channel_id}/test', made: ['logs', 'id'] },
  { endpoint: 'POST /v1/checks/{id}/heartbeat' },
  {
    endpoint: 'POST /v1/checks/{id}/results',
    body: () => ({ success: false, latency_ms: 5400, error_message: 'backup: no space left on device' }),
  },
  {
    endpoint: 'POST /v1/actions',
    body: ({ checks }) => ({
      name: 'Restart the backup',
      url: 'https://ci.example.com/jobs/backup?execution={{execution_id}}',
      headers: { Authorization: 'Bearer s3cret' },
      body_template: '{"check": "{{check_id}}", "entity": "{{entity_name}}"}',
      trigger_type: 'state_change',
      check_id: checks,
      trigger_to_state: 'down',
    }),
    made: ['actions', 'id'],
  },
  { endpoint: 'PUT /v1/actions/{id}', body: () => ({ timeout_ms: 5000 }) },
  {
    endpoint: 'POST /v1/actions/{id}/run',
    body: ({ checks }) => ({ vars: { check_id: checks } }),
    made: ['executions', 'id'],
  },
  {
    endpoint: 'POST /v1/actions/executions/{exec_id}/events',
    body: () => ({ status: 'running', logs: ['fetching the last snapshot', 'restoring 3 tables'] }),
  },
  {
    endpoint: 'POST /v1/settings/users/invite',
    body: () => ({ email: 'ben@example.com', role: 'member' }),
    made: ['users', 'id'],
  },
  {
    endpoint: 'POST /v1/invitations/accept',
    body: (_, answers) => ({ token: answers['POST /v1/settings/users/invite'].invite_token, name: 'Ben' }),
  },
  { endpoint: 'PUT /v1/settings/users/{id}', body: () => ({ name: 'Ben Miller' }) },
  { endpoint: 'POST /v1/settings/users/{id}/sign-in-link', body: () => ({ revoke: false }) },
  {
    endpoint: 'POST /v1/sign-in/link',
    body: (_, answers) => ({ token: answers['POST /v1/settings/users/{id}/sign-in-link'].url.split('/').at(-1) }),
  },
  {
    endpoint: 'POST /v1/skills',
    body: ({ actions }) => ({
      slug: 'backup-ops',
      name: 'Backup operations',
      description: 'Restarts what failed in the night',
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
    body: (_, answers, authenticator) => ({
      name: 'laptop',
      response: authenticator.create(answers['POST /v1/sign-in/passkeys/options'], WALKED_PAGE),
    }),
    byPage: true,
    made: ['passkeys', 'id'],
  },
  { endpoint: 'PUT /v1/sign-in/passkeys/{id}', body: () => ({ name: 'old laptop' }) },
  { endpoint: 'POST /v1/sign-in/passkey/options', byPage: true },
  {
    endpoint: 'POST /v1/sign-in/passkey',
    body: (_, answers, authenticator) => ({
      response: authenticator.get(answers['POST /v1/sign-in/passkey/options'], WALKED_PAGE),
    }),
    byPage: true,
  },
  {
    endpoint: 'POST /v1/sign-in/key',
    body: (_, answers) => ({ key: answers['POST /v1/auth/keys'].key }),
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
    at: (answers) => ({ users: answers['POST /v1/auth/keys'].created_by }),
  },
  {
    endpoint: 'POST /v1/sign-in/oidc',
    body: (_, answers) => ({
      token: answers['POST /v1/settings/users/{id}/sign-in-link'].url.split('/').at(-1),
      return_to: '/#/checks',
    }),
    byPage: true,
  },
  {
    endpoint: 'GET /v1/sign-in/oidc/callback',
    query: (answers) => {
      const { state = '', nonce = '' } = Object.fromEntries(new URL(answers['POST /v1/sign-in/oidc'].url).searchParams);
      return { state, code: nonce };
    },
  },
  { endpoint: 'GET /v1/sign-in/identities', made: ['identities', '0.id'] },
];
