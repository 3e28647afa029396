// Makes of this process the service, with what node must be told before it begins. The pid stays the same. Runs on
// whatever node npm was started with, so plain old syntax only.
const path = require('node:path');

const env = Object.assign(
  {
    // Without it each thread keeps freed memory for itself (glibc).
    MALLOC_ARENA_MAX: '2',
    // Kept from the second start on: half of the time of a start, and the 13 MB of what makes JavaScript of TypeScript.
    NODE_COMPILE_CACHE: path.join(__dirname, '../../node_modules/.cache/fleetwatch'),
  },
  process.env,
);

require('./run.cjs').run('infra/local/main.ts', process.argv.slice(2), {
  dev: false,
  flags: require('./memory-flags.cjs'),
  env: env,
});
