import type { TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';
import { hasText } from '#lib/platform/text-finder.ts';
import type { Assertion } from './assertion.ts';
import { MAX_SEARCHED } from './expressions.ts';
import { JsonDocument, type JsonFound, jsonJob } from './json-document.ts';
import type { JsonPath } from './json-path.ts';
import { type Subject, takesExpression } from './operators.ts';

export type Unreadable = { problem: string };

/** Body of a response or push, as far as it was read. */
export type Body = {
  bytes: number;
  isCut: boolean;
  /** Content type; empty if unknown. */
  type: string;
  /** Read part, with U+FFFD for invalid bytes; undefined if the body was only searched. */
  text?: string | undefined;
  /** Searched texts that were found, if the body was only searched. */
  found?: readonly string[];
};

/** Use of a body by assertions. `searched`: texts to search for. `isKept`: whether other assertions need the body. */
type BodyUse = { searched: string[]; isKept: boolean };

/** Returns how assertions use the body; undefined if they do not. */
export function bodyUseOf(assertions: readonly Assertion[] = []): BodyUse | undefined {
  const onBody = assertions.filter(({ source }) => source === 'body' || source === 'json');
  if (onBody.length === 0) return undefined;
  const isSearch = ({ source, operator }: Assertion) =>
    source === 'body' && (operator === 'contains' || operator === 'not_contains');
  return { searched: onBody.filter(isSearch).map(({ value }) => String(value)), isKept: !onBody.every(isSearch) };
}

/** Formats a size: `812 bytes`, `64 KB`. */
export const sizeText = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${Math.floor(bytes / (1024 * 1024))} MB`;
};

export const bodySubject = ({ text = '', found, isCut }: Body): Subject => ({
  exists: true,
  equals: (expected) => !isCut && text === expected,
  text: {
    contains: (expected) => (found ? found.includes(expected) : hasText(text, expected)),
    begin: text.slice(0, MAX_SEARCHED),
  },
});

/** Describes how much of a body an operator has examined: `searched 812 bytes`. */
export function examinedText({ bytes, isCut, text = '' }: Body, { operator }: Pick<Assertion, 'operator'>): string {
  if (operator === 'equals' || operator === 'not_equals' || operator === 'one_of' || operator === 'not_one_of') {
    return isCut ? `it has more than ${sizeText(bytes)}` : `it has ${sizeText(bytes)}`;
  }
  if (takesExpression(operator) && text.length > MAX_SEARCHED) return 'searched its first 32 KB';
  return isCut ? `searched its first ${sizeText(bytes)}` : `searched ${sizeText(bytes)}`;
}

/** Size (bytes) above which a JSON body is parsed as a CPU job (cpu-budget.ts). */
const LARGE_BYTES = 64 * 1024;

/** Returns the value at each path of a JSON body, in order. Throws CpuLimitError. */
export async function readJson(
  { text = '', bytes, isCut, type }: Body,
  paths: JsonPath[],
  cpu: TenantCpu,
): Promise<JsonFound[] | Unreadable> {
  if (isCut) return { problem: `the body has more than ${sizeText(bytes)}` };
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  const found = bytes > LARGE_BYTES ? (await cpu(jsonJob, [{ text: json, paths }]))[0] : findIn(json, paths);
  return found ?? { problem: `the body is not JSON (${[type, sizeText(bytes)].filter(Boolean).join(', ')})` };
}

function findIn(json: string, paths: JsonPath[]): JsonFound[] | undefined {
  const document = JsonDocument.parse(json);
  return document && paths.map((path) => document.find(path));
}
