// Installs missing packages. Old syntax and no packages, because it runs on any node that starts npm.
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '../..');
const lock = path.join(root, '.cache/installing');

/** Period in which a process that installs touches its lock, and the age at which a lock is abandoned (ms). */
const TOUCHED_MS = 1000;
const ABANDONED_MS = 10000;
const POLL_MS = 250;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Compares the installed packages with the required ones.
 * @param wanted `packages` of package-lock.json
 * @param installed `packages` of node_modules/.package-lock.json; undefined if there is none
 * @param withDev whether test packages are required too
 * @returns why an install is needed, and whether it includes test packages; undefined if none is needed
 */
function planOf(wanted, installed, withDev) {
  if (!installed) return { reason: 'not installed', dev: withDev };
  const names = Object.keys(wanted).filter((name) => /^node_modules\//.test(name));
  // The flags of a linked folder are in the entry of that folder.
  const isDev = (name) => Boolean((wanted[name].link ? wanted[wanted[name].resolved] : wanted[name]).dev);
  const hasDev = names.some((name) => isDev(name) && installed[name]);
  const missing = names.filter((name) => {
    if (isDev(name) && !withDev) return false;
    // npm skips an optional package that does not fit this machine or that the user excluded.
    return installed[name] ? installed[name].version !== wanted[name].version : !wanted[name].optional;
  });
  if (missing.length === 0) return undefined;
  if (!hasDev && missing.every(isDev)) return { reason: 'installed without test packages', dev: true };
  return { reason: 'different from package-lock.json', dev: withDev || hasDev };
}

function nextPlan(withDev) {
  const file = path.join(root, 'package-lock.json');
  // A copy that includes its packages is not a checkout.
  if (!fs.existsSync(file)) return undefined;
  return planOf(packagesOf(file), installedPackages(), withDev);
}

const packagesOf = (file) => JSON.parse(fs.readFileSync(file, 'utf8')).packages;

function installedPackages() {
  try {
    return packagesOf(path.join(root, 'node_modules/.package-lock.json'));
  } catch {
    // Absent, or incomplete because npm was killed.
    return undefined;
  }
}

const commandOf = (plan) => (plan.dev ? 'npm ci' : 'npm ci --omit=dev');

const say = (line) => process.stderr.write(`${line}\n`);

function fail(plan, reason) {
  const command = commandOf(plan);
  say(
    `Dependencies are ${plan.reason} and cannot be installed (${reason}); fix that, then run \`${command}\` in ${root}.`,
  );
  process.exit(1);
}

/** Takes the install lock. @returns its descriptor; undefined if another process holds it */
function takeLock(plan) {
  try {
    if (!fs.existsSync(path.dirname(lock))) fs.mkdirSync(path.dirname(lock));
    return fs.openSync(lock, 'wx');
  } catch (error) {
    if (error.code !== 'EEXIST') fail(plan, `the folder is not writable: ${error.code}`);
  }
  const stat = fs.statSync(lock, { throwIfNoEntry: false });
  // Retried one poll later, so that only one of several waiting processes gets it.
  if (stat && Date.now() - stat.mtimeMs > ABANDONED_MS) fs.rmSync(lock, { force: true });
  return undefined;
}

/** Calls `done` once all packages are installed; one process installs, others wait. Exits on failure. */
function ensure(withDev, done) {
  if (!nextPlan(withDev)) return done();
  let waits = false;
  attempt();

  function attempt() {
    const plan = nextPlan(withDev);
    if (!plan) return done();
    const held = takeLock(plan);
    if (held !== undefined) return install(plan, held, finish);
    if (!waits) say('Waiting for another process to install dependencies.');
    waits = true;
    setTimeout(attempt, POLL_MS);
  }

  function finish() {
    const left = nextPlan(withDev);
    if (left) fail(left, 'npm skipped some packages');
    done();
  }
}

/** Installs in place, so that a running service keeps its files. @param held descriptor of the lock */
function install(plan, held, done) {
  // The npm that started this process, if any.
  const npm = /npm-cli\.js$/.test(process.env.npm_execpath || '')
    ? [process.env.npm_node_execpath || process.execPath, process.env.npm_execpath]
    : ['npm'];
  const options = ['--no-save', plan.dev ? '--include=dev' : '--omit=dev', '--prefer-offline'];
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error', '--fetch-retry-mintimeout=1000'];
  say(`Dependencies are ${plan.reason}: installing them like \`${commandOf(plan)}\`, in a minute or less.`);

  const touching = setInterval(() => fs.futimesSync(held, new Date(), new Date()), TOUCHED_MS);
  const release = () => fs.rmSync(lock, { force: true });
  process.once('exit', release);
  // Stdout belongs to the command that runs next.
  const child = require('node:child_process').spawn(npm[0], npm.slice(1).concat('install', options, quiet), {
    cwd: root,
    stdio: ['ignore', 2, 'pipe'],
    shell: process.platform === 'win32' && npm.length === 1,
  });
  const stop = (signal) => {
    child.kill(signal);
    process.exit(130);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  child.on('error', (error) => fail(plan, error.code === 'ENOENT' ? 'npm was not found' : error.message));
  child.on('close', (code) => {
    if (code !== 0) fail(plan, reasonOf(errors) || `npm exited with ${code}`);
    clearInterval(touching);
    release();
    process.removeListener('exit', release);
    for (const signal of SIGNALS) process.removeListener(signal, stop);
    done();
  });
}

/** Returns the first line of npm's errors with a reason. */
const reasonOf = (errors) =>
  errors
    .split('\n')
    .filter((line) => /^npm (error|ERR!) /.test(line))
    .map((line) => line.replace(/^npm (error|ERR!) (network )?(\w*Error: )?/, '').replace(/[.\s]+$/, ''))
    .find((line) => line && !/^(code|syscall|errno|path|dest) /.test(line));

module.exports = { ensure, planOf };
