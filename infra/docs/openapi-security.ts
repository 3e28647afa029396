/** What a request is made with: one of them. */
export const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key: fw_…' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-fleetwatch_session',
    description:
      'A session, for pages of the service itself at https. A request that is no GET also sends `X-Fleetwatch: console`. ' +
      'Heartbeats, results and MCP take keys alone.',
  },
  session_http: {
    type: 'apiKey',
    in: 'cookie',
    name: 'fleetwatch_session_8787',
    description: 'The same at plain http; its name ends with the port.',
  },
};
