import { describe, expect, it } from 'vitest';
import { listed, mergeListed } from '#lib/mcp/tools/tool.ts';

describe('a truncated list of a tool', () => {
  it('says how many values it shows, or that the search ended before a match', () => {
    const advice = 'Request fewer hours.';
    expect(listed('changes', { values: ['a'], next: 'x' }, advice)).toEqual({
      changes: ['a'],
      truncated: 'changes: only the first 1 are shown. Request fewer hours.',
    });
    expect(listed('changes', { values: [], next: 'x' }, advice)).toEqual({
      changes: [],
      truncated: 'The search ended before a match. Request fewer hours.',
    });
    expect(listed('changes', { values: [] }, advice)).toEqual({ changes: [] });
  });

  it('keeps its note in a result with other lists', () => {
    const incidents = listed('incidents', { values: ['b'], next: 'y' }, 'GET /v1/incidents.');
    expect(mergeListed(listed('changes', { values: [] }, ''), incidents)).toEqual({
      changes: [],
      incidents: ['b'],
      truncated: 'incidents: only the first 1 are shown. GET /v1/incidents.',
    });
  });
});
