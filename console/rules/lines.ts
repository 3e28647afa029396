export const readLines = (lines: string | undefined): string[] => (lines ?? '').split('\n').filter(Boolean);

export const withLine = (lines: string, line: string): string => [...new Set([...readLines(lines), line])].join('\n');

export const withoutLine = (lines: string, line: string): string =>
  readLines(lines)
    .filter((one) => one !== line)
    .join('\n');
