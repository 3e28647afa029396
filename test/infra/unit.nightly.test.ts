import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const UNIT = new URL('../../packaging/fleetwatch.service', import.meta.url).pathname;
const MAX_EXPOSURE = 1.5;

it('has a systemd unit with an exposure of at most 1.5', () => {
  const report = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', UNIT], {
    encoding: 'utf8',
  });
  const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(report)?.[1]);
  expect(exposure, report).toBeLessThanOrEqual(MAX_EXPOSURE);
});
