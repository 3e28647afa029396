/**
 * How every AWS client of the service asks: an answer that takes longer than three seconds is asked for again, three
 * times in all, so that a function's own time-out is never spent on one request.
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
