/** Some short texts as a form holds them: a line each. */

export const readLines = (lines: string | undefined): string[] => (lines ?? '').split('\n').filter(Boolean);

/** With one more; one that is there already stays once. */
export const withLine = (lines: string, line: string): string => [...new Set([...readLines(lines), line])].join('\n');

export const withoutLine = (lines: string, line: string): string =>
  readLines(lines)
    .filter((one) => one !== line)
    .join('\n');
