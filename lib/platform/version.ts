/** What the service calls itself in `User-Agent` and to its clients; a test holds it to package.json. */
export const VERSION = '0.1.0';
