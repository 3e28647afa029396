/** Whether tests run in their long form: every client, width and theme. Set by `npm run test:nightly`. */
export const isNightly = process.env.NIGHTLY === 'true';
