/**
 * Settings of all AWS clients: a request without a response for three seconds is retried, three attempts in all, so
 * that one request never uses up the function's timeout.
 */
export const CLIENT_SETTINGS = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1000,
    requestTimeout: 3000,
    throwOnRequestTimeout: true,
    httpsAgent: { keepAlive: true, maxSockets: 100 },
  },
} as const;
