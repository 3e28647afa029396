import { expect, it } from 'vitest';
import { bareWorld } from '#lib/aws/lambda/bare-world.ts';

it('starts a function without a table and without TABLE_NAME, with the settings of the service', () => {
  expect(bareWorld({ PUBLIC_URL: 'https://fleet.example.com/' }).settings.PUBLIC_URL).toBe('https://fleet.example.com');
});

it('does not start with an invalid setting', () => {
  expect(() => bareWorld({ PUBLIC_URL: 'fleet.example.com' })).toThrow('PUBLIC_URL');
  expect(() => bareWorld({ LOG_LEVEL: 'loud' })).toThrow('LOG_LEVEL');
});
