import { posix } from 'node:path';

const PAGE = /^console\/.*\.tsx?$/;
/** Packages that pages may load. */
const PACKAGES = /^(?:preact(?:\/\w+)?|@preact\/signals|@dagrejs\/dagre)$/;
/** Files of the console, and its generated files. */
const IN_PAGE = /^(?:console|generated)\//;
/** Import that loads something: imports of only types are removed from the built page. */
const STATIC = /^(?:import|export) (?!type )(?:[\w*{][^'";]*? from )?'([^']+)'/gm;
const DYNAMIC = /\bimport\('([^']+)'\)/g;

/**
 * Returns a sentence for each import by which a page would load anything except files of the console, PACKAGES, and
 * files of lib that load, directly and indirectly, only files of lib. Imports of types are allowed.
 */
export function notForPages(sources: ReadonlyMap<string, string>): string[] {
  return [...sources.keys()]
    .filter((file) => PAGE.test(file))
    .flatMap((file) =>
      loadedBy(file, sources).flatMap((name) => {
        const problem = problemOf(name, sources, (one) => PACKAGES.test(one));
        return problem ? [`${file} imports ${name}, ${problem}. Import only its types, with "import type".`] : [];
      }),
    );
}

function problemOf(
  name: string,
  sources: ReadonlyMap<string, string>,
  isKnown: (name: string) => boolean,
  seen = new Set<string>(),
): string | undefined {
  if (name.endsWith('.css') || IN_PAGE.test(name) || seen.has(name) || isKnown(name)) return undefined;
  seen.add(name);
  if (!name.startsWith('lib/')) return 'which is not for a browser';
  const text = sources.get(name);
  if (text === undefined) return 'which is not a source file';
  const deeper = loadedBy(name, sources).find((one) => problemOf(one, sources, () => false, seen) !== undefined);
  return deeper && `which needs ${deeper}`;
}

/** Returns the files and packages that a file loads. */
function loadedBy(file: string, sources: ReadonlyMap<string, string>): string[] {
  const text = sources.get(file)!;
  return [...text.matchAll(STATIC), ...text.matchAll(DYNAMIC)].map(([, name = '']) =>
    name.startsWith('#') ? name.slice(1) : name.startsWith('.') ? posix.join(posix.dirname(file), name) : name,
  );
}
