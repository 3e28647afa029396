/** Version in `User-Agent` and for clients; a test compares it with package.json. */
export const VERSION = '0.1.0';
