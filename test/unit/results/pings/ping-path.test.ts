import { describe, expect, it } from 'vitest';
import { readPingPath } from '#lib/results/pings/ping-path.ts';

const UUID = '5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278';
const KEY = 'fqOOd6-F4MMNuCEnzTU01w';

describe('the path of a ping', () => {
  it.each([
    ['', 'success', null],
    ['/', 'success', null],
    ['/start', 'start', null],
    ['/fail', 'fail', null],
    ['/log', 'log', null],
    ['/0', 'success', 0],
    ['/1', 'fail', 1],
    ['/255', 'fail', 255],
    ['/007', 'fail', 7],
  ])('parses a UUID, or a key and a slug, followed by "%s"', (rest, kind, exit_status) => {
    expect(readPingPath(`/ping/${UUID}${rest}`)).toEqual({ target: { uuid: UUID }, kind, exit_status });
    if (rest === '/') return;
    expect(readPingPath(`/ping/${KEY}/db-backup${rest}`)).toEqual({
      target: { key: KEY, slug: 'db-backup' },
      kind,
      exit_status,
    });
  });

  it('accepts a UUID in capitals', () => {
    expect(readPingPath(`/ping/${UUID.toUpperCase()}`)).toMatchObject({ target: { uuid: UUID } });
  });

  it('accepts a slug that equals a kind of ping or an exit status', () => {
    expect(readPingPath(`/ping/${KEY}/start`)).toMatchObject({ target: { slug: 'start' }, kind: 'success' });
    expect(readPingPath(`/ping/${KEY}/7/fail`)).toMatchObject({ target: { slug: '7' }, kind: 'fail' });
  });

  it.each([`${UUID}/256`, `${UUID}/99999999999999999999`, `${KEY}/Backup`, `${KEY}/${'x'.repeat(65)}`, `${KEY}/a/256`])(
    'returns invalid for %s',
    (path) => expect(readPingPath(`/ping/${path}`)).toBe('invalid'),
  );

  it.each([
    '',
    'x',
    KEY,
    `${KEY}/`,
    `${KEY}/a/`,
    `${KEY}/a b`,
    `${KEY}/a/x`,
    `${KEY}/a/start/1`,
    `${UUID}/x`,
    `${UUID}/-1`,
    `${UUID}/1.5`,
    `${UUID}/start/`,
    `${UUID}/start/1`,
    `${UUID}//`,
    `${UUID.slice(1)}`,
    `{${UUID}}`,
  ])('returns unknown for "%s"', (path) => expect(readPingPath(`/ping/${path}`)).toBe('unknown'));
});
