#!/usr/bin/env node
// The command of the package: the service, or a program of the operator. Old syntax: any node may run it.
const PROGRAMS = { admin: 'infra/admin/main.ts', smoke: 'infra/smoke/main.ts' };

const words = process.argv.slice(2);
const program = PROGRAMS[words[0]];
if (program) {
  require('./run.cjs').run(program, words.slice(1), { dev: false });
} else if (words.every((word) => /^--/.test(word))) {
  require('./start.cjs');
} else {
  process.stderr.write(
    'Usage: fleetwatch [--demo], or fleetwatch admin|smoke [arguments]; see `fleetwatch admin --help`.\n',
  );
  process.exit(2);
}
