export const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key: fw_…' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-fleetwatch_session',
    description:
      'Session, for pages of the service at https. A request other than GET also needs `X-Fleetwatch: console`. Heartbeats, ' +
      'results and MCP accept only keys.',
  },
  session_http: {
    type: 'apiKey',
    in: 'cookie',
    name: 'fleetwatch_session_8787',
    description: 'Session at http; its name ends with the port.',
  },
};
