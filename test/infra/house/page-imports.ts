import { posix } from 'node:path';

const PAGE = /^console\/.*\.tsx?$/;
/** Packages that a page may load. */
const PACKAGES = /^(?:preact(?:\/\w+)?|@preact\/signals|@dagrejs\/dagre)$/;
/** Files of the console, and those that its build generates. */
const IN_PAGE = /^(?:console|generated)\//;
/** Of an import that loads something: one of types alone is gone when the page is built. */
const STATIC = /^(?:import|export) (?!type )(?:[\w*{][^'";]*? from )?'([^']+)'/gm;
const DYNAMIC = /\bimport\('([^']+)'\)/g;

/**
 * A sentence of each import by which a page would load what a browser does not have: anything of node, a package that
 * is for the service, or a file of the service that needs one of these. Types of lib are free.
 */
export function notForPages(sources: ReadonlyMap<string, string>): string[] {
  return [...sources.keys()]
    .filter((file) => PAGE.test(file))
    .flatMap((file) =>
      loadedBy(file, sources).flatMap((name) => {
        const why = wrong(name, sources, (one) => PACKAGES.test(one));
        return why ? [`${file} imports ${name}, ${why}. Take its types alone, by "import type".`] : [];
      }),
    );
}

function wrong(
  name: string,
  sources: ReadonlyMap<string, string>,
  isKnown: (name: string) => boolean,
  seen = new Set<string>(),
): string | undefined {
  if (name.endsWith('.css') || IN_PAGE.test(name) || seen.has(name) || isKnown(name)) return undefined;
  seen.add(name);
  if (!name.startsWith('lib/')) return 'which is not for a browser';
  const text = sources.get(name);
  if (text === undefined) return 'which is no source file';
  const deeper = loadedBy(name, sources).find((one) => wrong(one, sources, () => false, seen) !== undefined);
  return deeper && `which needs ${deeper}`;
}

/** What a file loads: files by their paths below the top, packages by their names. */
function loadedBy(file: string, sources: ReadonlyMap<string, string>): string[] {
  const text = sources.get(file)!;
  return [...text.matchAll(STATIC), ...text.matchAll(DYNAMIC)].map(([, name = '']) =>
    name.startsWith('#') ? name.slice(1) : name.startsWith('.') ? posix.join(posix.dirname(file), name) : name,
  );
}
