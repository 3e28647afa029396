/** A call of zod's `describe` with only a literal text, as a minifier writes it. */
const DESCRIBED = /\.describe\((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)\)/g;

/** Start of the examples of a check type or a channel type, as a minifier writes it. */
const EXAMPLES = /(?<=examples:)\{valid:\[/g;
/** Start of the package.json of an SDK client, which reads only its version. */
const MANIFEST = /(?<==)\{name:"@aws-sdk\//g;

const STRING_OR_BRACKET = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[[\](){}]/g;

/** Replaced part of code, from one offset up to another. `by`: its replacement. */
export type Cut = { from: number; to: number; by: string };

/**
 * Removes text that only generated documents and tests need, because it costs load time: descriptions of schemas, and
 * examples of check types and channel types. Reduces the package.json of each SDK client to its version.
 * @returns the new code, and the replaced parts of `code` in order
 */
export function withoutDocumentation(code: string): { code: string; cuts: Cut[] } {
  const objects = [
    ...objectsAt(code, EXAMPLES).map((one) => ({ ...one, by: '{}' })),
    ...objectsAt(code, MANIFEST).map((one) => ({ ...one, by: onlyVersion(code.slice(one.from, one.to)) })),
  ];
  const descriptions = [...code.matchAll(DESCRIBED)].map(({ 0: text, index }) => ({
    from: index,
    to: index + text.length,
    by: '',
  }));
  const outside = descriptions.filter(({ from }) => !objects.some((one) => one.from <= from && from < one.to));
  const cuts = [...objects, ...outside].sort((a, b) => a.from - b.from);
  let left = '';
  let done = 0;
  for (const { from, to, by } of cuts) {
    left += code.slice(done, from) + by;
    done = to;
  }
  return { code: left + code.slice(done), cuts };
}

const objectsAt = (code: string, start: RegExp): { from: number; to: number }[] =>
  [...code.matchAll(start)].map(({ index }) => ({ from: index, to: endOf(code, index) }));

function onlyVersion(manifest: string): string {
  const version = /version:"[^"]+"/.exec(manifest);
  if (!version) throw new Error('A client of the SDK has no version: infra/aws/bundle/without-documentation.ts');
  return `{${version[0]}}`;
}

function endOf(code: string, from: number): number {
  STRING_OR_BRACKET.lastIndex = from;
  let open = 0;
  for (let token = STRING_OR_BRACKET.exec(code); token; token = STRING_OR_BRACKET.exec(code)) {
    if ('[({'.includes(token[0])) open++;
    else if ('])}'.includes(token[0]) && --open === 0) return STRING_OR_BRACKET.lastIndex;
  }
  throw new Error('An object in a bundle does not end: infra/aws/bundle/without-documentation.ts');
}
