/** A call of zod's `describe` with only a literal text, as a minifier writes it. */
const DESCRIBED = /\.describe\((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)\)/g;

/** Removes schema descriptions, which only documents need: they cost load time and a copy of each schema. */
export const withoutDescriptions = (code: string): string => code.replace(DESCRIBED, '');

/** Start of the examples of a check type or a channel type, as a minifier writes it. */
const EXAMPLES = 'examples:{valid:[';
/** Start of the package.json of an SDK client, which reads only its version. */
const MANIFEST = /=(?=\{name:"@aws-sdk\/)/;

/** String literal or bracket. */
const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[[\](){}]/g;

/** Removes the examples of check types and channel types, which only documents and tests need. */
export function withoutExamples(code: string): string {
  const [first = '', ...rest] = code.split(EXAMPLES);
  return first + rest.map((part) => `examples:{}${part.slice(endOf(part, 2))}`).join('');
}

/** Reduces the manifests of SDK clients to their version. */
export function withoutManifests(code: string): string {
  const [first = '', ...rest] = code.split(MANIFEST);
  return first + rest.map(onlyVersion).join('');
}

function onlyVersion(part: string): string {
  const end = endOf(part, 0);
  const version = /version:"[^"]+"/.exec(part.slice(0, end));
  if (!version) throw new Error('A client of the SDK has no version: infra/aws/bundle/without-documentation.ts');
  return `={${version[0]}}${part.slice(end)}`;
}

/** Finds the end of an object. @param depth number of open brackets where the code begins */
function endOf(code: string, depth: number): number {
  let open = depth;
  for (const { 0: token, index } of code.matchAll(TOKEN)) {
    if ('[({'.includes(token)) open++;
    else if ('])}'.includes(token) && --open === 0) return index + 1;
  }
  throw new Error('An object in a bundle does not end: infra/aws/bundle/without-documentation.ts');
}
