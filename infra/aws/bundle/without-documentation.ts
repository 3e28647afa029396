/** A call of zod's `describe` with nothing but a literal text, as a minifier writes it. */
const DESCRIBED = /\.describe\((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)\)/g;

/**
 * Code without the descriptions of its schemas. They are for the documents, which are made beforehand and carried
 * packed; in a function they would be text to load, and each a copy of its schema to make at every start.
 */
export const withoutDescriptions = (code: string): string => code.replace(DESCRIBED, '');

/** How the examples of a check type or a channel type begin, as a minifier writes them. */
const EXAMPLES = 'examples:{valid:[';
/** How the whole package.json of a client of the SDK begins; it is asked for its version. */
const MANIFEST = /=(?=\{name:"@aws-sdk\/)/;

/** A text, or a bracket. */
const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[[\](){}]/g;

/** Code without the examples of check types and channel types, which are for the documents and for tests. */
export function withoutExamples(code: string): string {
  const [first = '', ...rest] = code.split(EXAMPLES);
  return first + rest.map((part) => `examples:{}${part.slice(endOf(part, 2))}`).join('');
}

/** Code in which the manifests of the SDK's clients say their version and nothing else. */
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

/** Where an object is over. @param depth how many brackets are open where the code begins */
function endOf(code: string, depth: number): number {
  let open = depth;
  for (const { 0: token, index } of code.matchAll(TOKEN)) {
    if ('[({'.includes(token)) open++;
    else if ('])}'.includes(token) && --open === 0) return index + 1;
  }
  throw new Error('An object in a bundle has no end: infra/aws/bundle/without-documentation.ts');
}
