// Runs on whatever node npm was started with, so plain old syntax only.
var major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    [
      `Fleetwatch runs on Node 24; this is ${process.version}.`,
      '`npm ci` normally brings Node 24 along as the optional package `node`. It is missing or did not install:',
      'run `npm ci` again without --omit=optional and --ignore-scripts, or install Node 24 yourself.\n',
    ].join('\n'),
  );
  process.exit(1);
}
