import type { Import } from './imports.ts';

const PRODUCT = /^(lib|infra|functions|console)\//;
const EXPORT = /^export (?:(default) )?(?:async )?(?:(type|interface)|const|let|function\*?|class)? ?(\w+)/;
/** Text that is not code of the file itself: comments, and code blocks of Markdown in its strings. */
const NOT_CODE = [/\/\*.*?\*\//gs, /\/\/.*/g, /(?:\\`){3}.*?(?:\\`){3}/gs];
/** Tests that can import an export only to test it. */
const RULE_TEST = /^(test\/(unit|infra)|research)\/.*\.test\.ts$/;
const TESTS = /^(test|research)\//;

/**
 * Returns a sentence for each export of the product that no other file imports. An export that only tests import must
 * be used in its own file. Outside infra/, a value must also be imported by a test in test/unit, test/infra or
 * research.
 */
export function deadExports(sources: ReadonlyMap<string, string>, imports: readonly Import[]): string[] {
  const importers = new Map<string, string[]>();
  for (const { file, from, names } of imports) {
    for (const name of names) importers.set(`${from} ${name}`, [...(importers.get(`${from} ${name}`) ?? []), file]);
  }

  function fault(file: string, code: string, line: string): string | undefined {
    const [, isDefault, isType, name] = EXPORT.exec(line) ?? [];
    if (name === undefined) return 'in an unsupported form: export its declaration';
    const by = ['*', isDefault ?? name].flatMap((name) => importers.get(`${file} ${name}`) ?? []);
    if (by.length === 0) return 'which no file imports: drop `export`, or the code';
    if (by.some((importer) => !TESTS.test(importer))) return undefined;
    if (code.match(new RegExp(`\\b${name}\\b`, 'g'))!.length < 2) return 'which only tests use: move it to them';
    if (isType || file.startsWith('infra/') || by.some((importer) => RULE_TEST.test(importer))) return undefined;
    return 'which only test setup imports, and no test in test/unit or test/infra: drop `export`';
  }

  return [...sources]
    .filter(([file]) => PRODUCT.test(file) && !file.endsWith('.entry.ts'))
    .flatMap(([file, text]) => {
      const code = NOT_CODE.reduce((rest, part) => rest.replaceAll(part, ''), text);
      const lines = code.match(/^export (?!\{\};).*$/gm) ?? [];
      return lines.flatMap((line) => {
        const reason = fault(file, code, line);
        return reason ? [`${file} has "${line}", ${reason}.`] : [];
      });
    });
}
