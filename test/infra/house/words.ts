import { execFileSync } from 'node:child_process';
import { PATTERNS, type Pattern } from './word-patterns.ts';

/** A use of a wording to avoid. */
export type Finding = { place: string; text: string; pattern: Pattern };

/** Uses that are right, by file and text, each with its reason. */
const ALLOWED: readonly { file: RegExp; text: RegExp; reason: string }[] = [
  { file: /^test\/infra\/house\/word/, text: /./, reason: 'the patterns themselves' },
  { file: /^(console|test\/(unit\/)?console)\//, text: /Rows$/, reason: 'rows of tables and forms, not routes' },
];

/** Texts that other systems define, and files that a script writes. */
const SKIPPED = /golden|^(package-lock\.json|docs\/catalog-ops\.json|infra\/docs\/(api-digest|examples)\.\w+)$/;

/** Last commit whose subject is not checked. */
const SUBJECTS_SINCE = '2d1753e8';

/** Finds wordings to avoid in files; `texts`: their texts by path. */
export const findWords = (texts: ReadonlyMap<string, string>): Finding[] =>
  [...texts].flatMap(([file, text]) =>
    /\.(tsx?|css|md)$/.test(file) && !SKIPPED.test(file) ? findIn(file, text) : [],
  );

function findIn(file: string, text: string): Finding[] {
  const prose = file.endsWith('.md') ? withoutCode(text) : withoutCodeInComments(text);
  return PATTERNS.flatMap((pattern) => {
    if (pattern.code && !/\.tsx?$/.test(file)) return [];
    return [...prose.matchAll(pattern.pattern)].flatMap(({ 0: found, index }) => {
      if (ALLOWED.some((one) => one.file.test(file) && one.text.test(found))) return [];
      const line = prose.slice(0, index).split('\n').length;
      return [{ place: `${file}:${line}`, text: found.trim(), pattern }];
    });
  });
}

/** Blanks code in Markdown, so that line numbers stay. */
const withoutCode = (text: string): string =>
  text.replace(/^```.*?^```$/gms, (block) => block.replace(/[^\n]/g, ' ')).replace(/`[^`\n]*`/g, '`x`');

const withoutCodeInComments = (text: string): string =>
  text.replace(/^\s*(\/\*\*|\*|\/\/).*$/gm, (line) => line.replace(/`[^`]*`/g, '`x`'));

/** Checks all texts, the budgets, and the subjects of new commits. @returns one line per fault */
export function wordFaults(texts: ReadonlyMap<string, string>): string[] {
  const findings = findWords(texts);
  const strict = findings.filter(({ pattern }) => pattern.budget === undefined).map(say);
  const overBudget = PATTERNS.flatMap((pattern) => {
    const used = findings.filter((finding) => finding.pattern === pattern);
    return pattern.budget !== undefined && used.length > pattern.budget
      ? [
          `${pattern.id} is used ${used.length} times, and ${pattern.budget} are allowed: ${pattern.use}. List them with test/infra/house/list-words.ts.`,
        ]
      : [];
  });
  return [...strict, ...overBudget, ...subjectFaults()];
}

export const say = ({ place, text, pattern }: Finding): string =>
  `${place}: ${JSON.stringify(text)} (${pattern.id}): ${pattern.use}`;

function subjectFaults(): string[] {
  let subjects: string[];
  try {
    const args = ['log', '--format=%s', `${SUBJECTS_SINCE}..HEAD`];
    subjects = execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n');
  } catch {
    // A shallow clone does not have the commit.
    return [];
  }
  const findings = subjects.flatMap((subject) => findIn(`commit "${subject}".md`, subject));
  const long = subjects
    .filter((subject) => subject.length > 72)
    .map((subject) => `commit "${subject}": over 72 characters`);
  return [...findings.filter(({ pattern }) => pattern.budget === undefined).map(say), ...long];
}
