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

var flags = ['--disable-warning=ExperimentalWarning'].concat(require('./memory-flags.cjs'));

var main = path.join(__dirname, 'main.ts');
// Windows cannot replace a process: there it goes on in this one, with what memory node takes by itself.
if (process.execve)
  process.execve(
    process.execPath,
    [process.execPath].concat(flags, process.execArgv, main, process.argv.slice(2)),
    env,
  );
else import(require('node:url').pathToFileURL(main).href);
