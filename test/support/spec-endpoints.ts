/** `GET /v1/checks/{id}`: a method and a path, its parameters in braces. */
export type Endpoint = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;

/** The endpoints that were promised first, listed by hand and apart from the rows, so that none goes unnoticed. */
export const specEndpoints: Record<string, readonly Endpoint[]> = {
  account: ['GET /v1/me'],
  blueprints: [
    'GET /v1/blueprints',
    'POST /v1/blueprints',
    'GET /v1/blueprints/{slug}',
    'POST /v1/blueprints/{slug}/fields',
  ],
  entities: [
    'GET /v1/blueprints/{blueprint_slug}/entities',
    'POST /v1/blueprints/{blueprint_slug}/entities',
    'GET /v1/blueprints/{blueprint_slug}/entities/{slug}',
    'PUT /v1/blueprints/{blueprint_slug}/entities/{slug}',
    'DELETE /v1/blueprints/{blueprint_slug}/entities/{slug}',
  ],
  checks: [
    'GET /v1/checks',
    'POST /v1/checks',
    'GET /v1/checks/{id}',
    'PUT /v1/checks/{id}',
    'DELETE /v1/checks/{id}',
    'GET /v1/checks/{id}/results',
    'POST /v1/checks/{id}/results',
    'POST /v1/checks/{id}/heartbeat',
    'GET /v1/checks/{id}/transitions',
  ],
  notifications: [
    'GET /v1/checks/{check_id}/policy',
    'POST /v1/checks/{check_id}/policy',
    'POST /v1/checks/{check_id}/policy/channels',
    'DELETE /v1/checks/{check_id}/policy/channels/{channel_id}',
    'GET /v1/notify/logs',
    'GET /v1/notify/channels',
  ],
  status: ['GET /v1/status', 'GET /v1/status/transitions'],
  relations: ['GET /v1/relations', 'POST /v1/relations', 'DELETE /v1/relations/{id}'],
  keys: ['GET /v1/auth/keys', 'POST /v1/auth/keys', 'DELETE /v1/auth/keys/{id}'],
  team: ['GET /v1/settings/users', 'POST /v1/settings/users/invite', 'DELETE /v1/settings/users/{id}'],
  actions: [
    'GET /v1/actions',
    'POST /v1/actions',
    'GET /v1/actions/{id}',
    'PUT /v1/actions/{id}',
    'DELETE /v1/actions/{id}',
    'POST /v1/actions/{id}/run',
    'GET /v1/actions/{id}/executions',
    'POST /v1/actions/executions/{exec_id}/events',
    'GET /v1/actions/executions/{exec_id}/logs',
  ],
  skills: [
    'GET /v1/skills',
    'POST /v1/skills',
    'GET /v1/skills/{slug}',
    'PUT /v1/skills/{slug}',
    'DELETE /v1/skills/{slug}',
    'GET /v1/mcp',
    'POST /v1/mcp',
  ],
};

/** What we offer beyond it: the lines marked ◆ of the decisions. */
export const addedEndpoints: readonly Endpoint[] = [
  'PUT /v1/account',
  'PUT /v1/blueprints/{slug}',
  'DELETE /v1/blueprints/{slug}',
  'DELETE /v1/blueprints/{slug}/fields/{name}',
  'GET /v1/checks/{id}/sparkline',
  'GET /v1/checks/{id}/gaps',
  'POST /v1/checks/{check_id}/policy/channels/{channel_id}/test',
  'GET /v1/openapi.json',
  'GET /v1/health',
  'POST /v1/invitations/accept',
];
