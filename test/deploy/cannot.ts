type Cannot = {
  /** A file of the contract suite, or the name of a test as vitest knows it (its beginning is enough). */
  what: string;
  why: string;
};

/** What the contract suite asks and the emulator cannot answer. Everything else runs against the deployed stack. */
export const CANNOT: readonly Cannot[] = [
  { what: 'crash.test.ts', why: 'starts and kills a service of one machine; it asks nothing of BASE_URL' },
  { what: 'action-runs-crash.test.ts', why: 'starts and kills a service of one machine; it asks nothing of BASE_URL' },
  { what: 'walk.test.ts', why: 'starts a service of one machine; walk.test.ts of test/deploy is its twin here' },
  { what: 'nats.test.ts', why: 'starts a service of one machine, with a NATS server' },
  {
    what: 'that is not UTF-8 is a VALIDATION_ERROR',
    why: 'its gateway repairs bytes that are no text, where API Gateway hands them over in base64',
  },
  {
    what: 'are removed by name: größe/länge',
    why: 'its gateway decodes %2F in a path before it is routed',
  },
  { what: '120 pushes at once', why: 'starts a process for each request in hand; the embedded service is asked so' },
  { what: 'fifty actions', why: 'starts a process for each request in hand; the embedded service is asked so' },
  {
    what: 'makes all of 50 of one entity that are asked for at once',
    why: 'starts a process for each request in hand; the embedded service is asked so',
  },
];

const isFile = ({ what }: Cannot) => what.endsWith('.test.ts');
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

export const namesThatCan = {
  exclude: CANNOT.filter(isFile).map(({ what }) => `test/contract/${what}`),
  pattern: new RegExp(
    `^(?!.*(${CANNOT.filter((one) => !isFile(one))
      .map(({ what }) => escaped(what))
      .join('|')})).*$`,
  ),
};
