import { expect, it } from 'vitest';
import { functionIn, synthesize } from './synthesized.ts';

const natsUrl = (secret: string) =>
  functionIn(synthesize({ NATS_URL_SECRET: secret }).template, 'deliverer').Environment.Variables.NATS_URL;

const [FIRST, SECOND] = ['7b1c4f0e-0d0e-4f5b-9d55-1f2d3c4b5a69', '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'];

it('another version of the NATS secret is another template, so that a deployment brings it', () => {
  expect(natsUrl(`nats@${FIRST}`)).toBe(`{{resolve:secretsmanager:nats:SecretString:::${FIRST}}}`);
  expect(natsUrl(`nats@${SECOND}`)).not.toBe(natsUrl(`nats@${FIRST}`));
});

it('a NATS secret without a version is the newest of the day it was first deployed', () => {
  expect(natsUrl('prod/nats')).toBe('{{resolve:secretsmanager:prod/nats:SecretString:::}}');
});

it.each(['nats@2', 'nats@', '@', 'na ts'])('%j names no secret', (secret) => {
  expect(() => synthesize({ NATS_URL_SECRET: secret })).toThrow('NATS_URL_SECRET');
});
