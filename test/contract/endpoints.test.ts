import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apiRows } from '#lib/api-rows.ts';
import { addedEndpoints, type Endpoint, specEndpoints } from '#test/support/spec-endpoints.ts';

const inSpec = Object.values(specEndpoints).flat();
const listed = [...inSpec, ...addedEndpoints];
const rows = apiRows.map((row): Endpoint => `${row.method} ${row.path as `/${string}`}`);

/** Listed, but no rows: MCP speaks a protocol of its own (functions/mcp.ts). */
const noRows: readonly Endpoint[] = ['GET /v1/mcp', 'POST /v1/mcp'];

describe('the endpoints', () => {
  test('the 52 that were promised first are listed once each', () => {
    expect(inSpec).toHaveLength(52);
    expect(new Set(listed).size).toBe(listed.length);
  });

  test('every row of the API is listed, under the parameter names that were promised', () => {
    expect(rows.filter((row) => !listed.includes(row))).toEqual([]);
    expect(new Set(rows).size).toBe(rows.length);
  });

  test('every listed one has a row, but for MCP', () => {
    expect(listed.filter((endpoint) => !rows.includes(endpoint))).toEqual(noRows);
  });

  test('every row is called by a contract test', () => {
    const calls = globSync(`${import.meta.dirname}/*.test.ts`).flatMap((file) => callsIn(readFileSync(file, 'utf8')));
    expect(calls.length).toBeGreaterThan(0);
    expect(rows.filter((row) => !calls.some((call) => fits(row, call)))).toEqual([]);
  });
});

const METHODS: Record<string, string> = { get: 'GET', post: 'POST', put: 'PUT', del: 'DELETE' };
const BY_NAME = /\.(get|post|put|del)\(\s*[`'"](\/[^`'"?]*)/g;
const BY_METHOD = /\.send\(\s*'(GET|POST|PUT|DELETE)',\s*[`'"](\/[^`'"?]*)/g;
/** The support's `everything` reads a list page by page. */
const LISTED = /\beverything\(\s*\w+,\s*[`'"](\/[^`'"?]*)/g;

/** The calls that a test's text writes out, as in client.get(`/v1/checks/${id}?x=1`): `GET /v1/checks/*`. */
function callsIn(source: string): string[] {
  const text = withConstants(source).replaceAll(/\$\{[^{}]*\}/g, '*');
  const calls = [...text.matchAll(BY_NAME), ...text.matchAll(BY_METHOD)];
  return [
    ...calls.map(([, method, path]) => `${METHODS[method!] ?? method} ${path}`),
    ...[...text.matchAll(LISTED)].map(([, path]) => `GET ${path}`),
  ];
}

/** The text with each `const ALL = '/v1/…'` put in where it is used. */
function withConstants(source: string): string {
  const constants = source.matchAll(/^const ([A-Z_]+) = '(\/[^']*)';$/gm);
  return [...constants].reduce(
    (text, [, name, path]) =>
      text.replaceAll(`\${${name}}`, path!).replaceAll(new RegExp(`([(,]\\s*)${name}\\b`, 'g'), `$1'${path}'`),
    source,
  );
}

/** A parameter stands for whatever one segment a call has there; everything else is to the letter. */
function fits(row: Endpoint, call: string): boolean {
  const [parts, given] = [row.split('/'), call.split('/')];
  return parts.length === given.length && parts.every((part, i) => part.startsWith('{') || part === given[i]);
}
