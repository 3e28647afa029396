import { describe, expect, it } from 'vitest';
import { withoutHash } from './lock-file.ts';

const lock = (packages: object) => JSON.stringify({ packages: { '': { name: 'fleetwatch' }, ...packages } });
const hashed = { version: '1.0.0', integrity: 'sha512-abc' };

describe('lock file', () => {
  it('needs a hash for each package that is downloaded', () => {
    const bare = { version: '2.0.0' };
    expect(withoutHash(lock({ 'node_modules/a': hashed, 'node_modules/a/node_modules/b': bare }), [])).toEqual([
      'package-lock.json: b 2.0.0 has no hash; add "integrity": npm view <name>@<version> dist.integrity',
    ]);
    expect(withoutHash(lock({ 'node_modules/a': { ...bare, integrity: 'sha1-abc' } }), [])).toHaveLength(1);
    const covered = { 'node_modules/a/node_modules/b': { ...bare, inBundle: true }, 'node_modules/c': { link: true } };
    expect(withoutHash(lock({ 'node_modules/a': hashed, ...covered }), [])).toEqual([]);
  });

  it('reports an exception that is not needed', () => {
    expect(withoutHash(lock({ 'node_modules/a': { version: '2.0.0' } }), ['a 2.0.0'])).toEqual([]);
    expect(withoutHash(lock({ 'node_modules/a': hashed }), ['a 1.0.0'])).toEqual([
      'test/infra/house/lock-file.ts: a 1.0.0 has a hash or is not locked; remove its line',
    ]);
  });
});
