// Runs the service in this process with node flags and environment. Old syntax: any node may run it.
const path = require('node:path');

const env = Object.assign(
  {
    // Without it each thread keeps freed memory for itself (glibc).
    MALLOC_ARENA_MAX: '2',
    // From the second start on it saves half of the start time and the 13 MB of the TypeScript compiler.
    NODE_COMPILE_CACHE: path.join(__dirname, '../../node_modules/.cache/fleetwatch'),
  },
  process.env,
);

require('./run.cjs').run('infra/local/main.ts', process.argv.slice(2), {
  dev: false,
  flags: require('./memory-flags.cjs'),
  env: env,
});
