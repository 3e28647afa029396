import type { Authenticator } from './authenticator.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
export type RecordedReply = any;

/** Ids of resources, by the segment of the path before the parameter: `{ checks: 'chk_…' }`. */
export type PathIds = Record<string, string>;

export const WALK_ORIGIN = 'https://status.example.com';

/** One request of a walk (example-requests.ts), which calls every endpoint except deletions. */
export type Step = {
  endpoint: string;
  /** @param replies bodies of earlier responses, by endpoint @param authenticator of the user */
  body?: (pathIds: PathIds, replies: Record<string, RecordedReply>, authenticator: Authenticator) => unknown;
  /** Whether the request has the headers of a page of PUBLIC_URL (same origin). */
  byPage?: true;
  /** Endpoint of the API that needs this request, if `endpoint` is not in the API description. */
  for?: string;
  /** Path parameters that differ from the ids of the newest resources. */
  at?: (replies: Record<string, RecordedReply>) => PathIds;
  /** Query of the request. A request with a query also sends all cookies that were set before. */
  query?: (replies: Record<string, RecordedReply>) => Record<string, string>;
  /** Key of PathIds that gets the id of the created resource, and the property of the response with that id. */
  made?: [collection: string, member: string];
};

/** Valid requests, in order; ACCESS_STEPS follow. Each endpoint with POST or PUT needs one. */
export const STEPS: readonly Step[] = [
  { endpoint: 'PUT /v1/account', body: () => ({ name: 'Example Inc', email: 'ops@example.com' }) },
  {
    endpoint: 'POST /v1/blueprints',
    body: () => ({
      slug: 'service',
      name: 'Service',
      description: 'Services for customers',
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
  { endpoint: 'PUT /v1/blueprints/{slug}', body: () => ({ description: 'Services that customers use' }) },
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
    body: ({ databases }, replies) => ({
      from_entity_id: replies['POST /v1/blueprints/{blueprint_slug}/entities'].id,
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
    body: (_, replies) => ({
      entity_id: replies['POST /v1/blueprints/{blueprint_slug}/entities'].id,
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
    body: (_, replies) => ({
      entity_id: replies['POST /v1/blueprints/{blueprint_slug}/entities'].id,
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
  { endpoint: 'PUT /v1/notify/policy', body: () => ({ repeat_interval_seconds: 7200 }) },
  {
    endpoint: 'POST /v1/notify/channels',
    body: () => ({ name: 'Mail', channel_type: 'email', config: { to: 'oncall@example.com' }, enabled: false }),
  },
  { endpoint: 'POST /v1/notify/addresses/ask', body: () => ({ address: 'oncall@example.com' }) },
  {
    endpoint: 'POST /v1/notify/channels',
    body: () => ({
      name: 'Payments on call',
      slug: 'payments',
      channel_type: 'slack',
      config: { url: 'https://hooks.slack.com/services/T0/B0/payments' },
      applies_to: { labels: { team: 'payments' }, states: ['down', 'up'] },
    }),
    made: ['account_channels', 'id'],
  },
  {
    endpoint: 'PUT /v1/notify/channels/{id}',
    body: () => ({ name: 'Payments', applies_to: { labels: { team: 'platform' }, states: ['down'] } }),
  },
  { endpoint: 'POST /v1/notify/channels/{id}/test' },
  {
    endpoint: 'POST /v1/notify/silences',
    body: (_, replies) => ({
      applies_to: { labels: { team: 'platform' } },
      until: new Date(Date.parse(replies['POST /v1/checks'].created_at) + 86_400_000).toISOString(),
      reason: 'Moving the database',
    }),
    made: ['silences', 'id'],
  },
  {
    endpoint: 'POST /v1/windows',
    body: () => ({
      name: 'Patch Saturday',
      cron: '30 2 * * sat#2',
      time_zone: 'Europe/Berlin',
      duration_seconds: 7200,
      scope: { blueprint_slug: 'service' },
    }),
    made: ['windows', 'id'],
  },
  { endpoint: 'PUT /v1/windows/{id}', body: () => ({ duration_seconds: 10_800, note: 'Kernel and OpenSSL' }) },
  {
    endpoint: 'POST /v1/slos',
    body: (_, replies) => ({
      slug: 'shop',
      name: 'Web shop',
      check_id: replies['POST /v1/checks'].id,
      target: 0.999,
      window: '30d',
    }),
    made: ['slos', 'id'],
  },
  { endpoint: 'PUT /v1/slos/{id}', body: () => ({ target: 0.9995 }) },
  {
    endpoint: 'POST /v1/rotas',
    body: (_, replies) => ({
      name: 'Payments',
      members: ['Ada', 'Grace'].map((name) => ({ name, channel_ids: [replies['POST /v1/notify/channels'].id] })),
      handover: { every: 'week', at: '09:00' },
      time_zone: 'Europe/Berlin',
      starts_on: '2026-01-05',
    }),
    made: ['rotas', 'id'],
  },
  {
    endpoint: 'PUT /v1/rotas/{id}',
    body: () => ({
      overrides: [{ starts_at: '2026-12-24T08:00:00Z', ends_at: '2026-12-25T08:00:00Z', member: 'Ada' }],
    }),
  },
  { endpoint: 'POST /v1/rotas/{id}/rotate-calendar' },
  {
    endpoint: 'POST /v1/incidents',
    body: (_, replies) => ({
      title: 'Payments are slow',
      impact: 'degraded',
      entity_ids: [replies['POST /v1/blueprints/{blueprint_slug}/entities'].id],
    }),
    made: ['incidents', 'id'],
  },
  { endpoint: 'PUT /v1/incidents/{id}', body: () => ({ title: 'Card payments are slow', impact: 'outage' }) },
  { endpoint: 'POST /v1/incidents/{id}/acknowledge', body: () => ({ note: 'Checking the provider' }) },
  { endpoint: 'POST /v1/incidents/{id}/notes', body: () => ({ text: 'The provider has confirmed it.' }) },
  {
    endpoint: 'POST /v1/incidents/{id}/updates',
    body: () => ({ status: 'identified', message: 'The payment provider is slow.', notify: true }),
    made: ['updates', 'id'],
  },
  {
    endpoint: 'PUT /v1/incidents/{id}/updates/{update_id}',
    body: () => ({ message: 'The payment provider responds slowly.' }),
  },
  { endpoint: 'POST /v1/incidents/{id}/resolve' },
  {
    endpoint: 'POST /v1/status-pages',
    body: ({ checks }) => ({
      slug: 'acme',
      title: 'Acme status',
      visibility: 'public',
      groups: [{ name: 'Shop', components: [{ name: 'Checkout', check_id: checks }] }],
    }),
    made: ['status-pages', 'id'],
  },
  { endpoint: 'POST /v1/status-pages/{id}/preview', body: () => ({ title: 'Acme service status' }) },
  { endpoint: 'PUT /v1/status-pages/{id}', body: () => ({ title: 'Acme service status', language: 'de' }) },
  {
    endpoint: 'POST /v1/status-pages/{id}/subscribers',
    body: () => ({ channel_type: 'webhook', config: { url: 'https://hooks.example.com/status', secret: 'letmesign' } }),
    made: ['subscribers', 'id'],
  },
  {
    endpoint: 'PUT /v1/status-pages/{id}/logo',
    body: () => ({
      data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
    }),
  },
  {
    endpoint: 'POST /v1/badges',
    body: ({ checks }) => ({ label: 'Web shop', check_id: checks }),
    made: ['badges', 'id'],
  },
  { endpoint: 'POST /v1/checks/{id}/heartbeat' },
  {
    endpoint: 'POST /ping/{uuid}',
    for: 'GET /v1/checks/{id}/pings/{ping_id}/body',
    at: (replies) => ({ ping: replies['POST /v1/checks'].ping_url.split('/').at(-1) }),
    body: () => 'copied 3 tables, 1.2 GB',
  },
  { endpoint: 'GET /v1/status/transitions', made: ['transitions', '0.transition_id'] },
  { endpoint: 'GET /v1/checks/{id}/pings', made: ['pings', 'pings.0.id'] },
  { endpoint: 'POST /v1/checks/{id}/rotate-ping-url', body: () => ({ keep_old_seconds: 3600 }) },
  {
    endpoint: 'POST /v1/checks/{id}/results',
    body: () => ({ success: false, latency_ms: 5400, error_message: 'backup: no space left on device' }),
  },
  { endpoint: 'POST /v1/checks/{id}/acknowledge', body: () => ({ note: 'The disk is being enlarged' }) },
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
    endpoint: 'POST /v1/ping-keys',
    body: () => ({ label: 'crontabs of db1', blueprint_slug: 'service' }),
    made: ['ping-keys', 'id'],
  },
  {
    endpoint: 'POST /v1/monitors',
    body: () => ({
      target: 'pay.example.com/login',
      interval_seconds: 86_400,
      channel: {
        name: 'On call',
        channel_type: 'slack',
        config: { url: 'https://hooks.slack.com/services/T0/B0/oncall' },
      },
    }),
  },
];
