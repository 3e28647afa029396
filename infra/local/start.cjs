// Makes of this process the service, with what node must be told before it begins. The pid stays the same. Runs on
// whatever node npm was started with, so plain old syntax only.
require('./require-node.cjs');
var path = require('node:path');

var env = Object.assign(
  {
    // Without it each thread keeps freed memory for itself (glibc).
    MALLOC_ARENA_MAX: '2',
    // Kept from the second start on: half of the time of a start, and the 13 MB of what makes JavaScript of TypeScript.
    NODE_COMPILE_CACHE: path.join(__dirname, '../../node_modules/.cache/fleetwatch'),
  },
  process.env,
);

var flags = [
  '--disable-warning=ExperimentalWarning',
  // Room for new objects, MB. A request leaves some 50 KB, nearly all of it garbage; by itself V8 takes up to 128 MB.
  '--max-semi-space-size=4',
  // So little is copied at a time that several threads wait for each other longer than they work.
  '--no-parallel-scavenge',
  // Collected when a third more is there than was in use after the last time; by itself V8 waits for up to four times.
  '--heap-growing-percent=30',
  // One function is compiled at a time, 5 ms at most. Dozens that wait for another thread take 20 MB for good.
  '--no-concurrent-recompilation',
];

var main = path.join(__dirname, 'main.ts');
// Windows cannot replace a process: there it goes on in this one, with what memory node takes by itself.
if (process.execve)
  process.execve(
    process.execPath,
    [process.execPath].concat(flags, process.execArgv, main, process.argv.slice(2)),
    env,
  );
else import(require('node:url').pathToFileURL(main).href);
