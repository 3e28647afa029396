/** Settings of AWS clients: three attempts of three seconds each, less than a function's timeout. */
export const CLIENT_SETTINGS = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1000,
    requestTimeout: 3000,
    throwOnRequestTimeout: true,
    httpsAgent: { keepAlive: true, maxSockets: 100 },
  },
} as const;
