import { expect, it } from 'vitest';
import { bareWorld } from '#lib/aws/lambda/bare-world.ts';

it('a function that reads no table starts without the name of one, with the settings of the service', () => {
  expect(bareWorld({ PUBLIC_URL: 'https://fleet.example.com/' }).settings.PUBLIC_URL).toBe('https://fleet.example.com');
});

it('and does not start with a wrong one', () => {
  expect(() => bareWorld({ PUBLIC_URL: 'fleet.example.com' })).toThrow('PUBLIC_URL');
  expect(() => bareWorld({ LOG_LEVEL: 'loud' })).toThrow('LOG_LEVEL');
});
