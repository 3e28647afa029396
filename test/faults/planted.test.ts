import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plantedFaults } from './planted-faults.ts';

/** `npm run test:planted` plants them and lives until each is found, which takes minutes. */
describe('the mistakes that the simulation is tried on', () => {
  it.each(plantedFaults)('have their place in the service: $name', ({ file, edits }) => {
    const text = readFileSync(file, 'utf8');
    for (const { find } of edits) expect(text).toContain(find);
  });
});
