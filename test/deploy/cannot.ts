type Cannot = {
  /** A file below test/, or the name of a test as vitest knows it (a part is enough). */
  what: string;
  why: string;
};

const OWN = 'starts a service of one machine; it asks nothing of BASE_URL';
const BURST =
  'starts a process for each request in hand, and two cores do not hold so many; the embedded service is asked';
const STREAM =
  'its function URLs keep an answer back until it is whole; test/infra/aws/streaming-lambda.test.ts streams';
const SECOND = 'asks for a probe each second, and SQS delays by whole seconds: the floor of an interval on AWS is 10 s';

/**
 * What the contract suite and the tests of the console ask and the emulator cannot answer. Everything else runs against
 * the deployed stack.
 */
export const CANNOT: readonly Cannot[] = [
  { what: 'contract/crash.nightly.test.ts', why: OWN },
  { what: 'contract/action-runs-crash.test.ts', why: OWN },
  { what: 'contract/walk.test.ts', why: `${OWN}; deployed-walk.test.ts is its twin here` },
  { what: 'contract/slow-shop.test.ts', why: OWN },
  { what: 'contract/nats.test.ts', why: OWN },
  { what: 'contract/passkey*.test.ts', why: OWN },
  { what: 'console/{behind-tls,first-start,oidc}.test.ts', why: OWN },
  { what: 'a service that goes away and comes back', why: OWN },
  { what: 'a service that is killed and comes back', why: OWN },
  { what: 'contract/mcp-stream.test.ts', why: STREAM },
  { what: 'opens a stream', why: STREAM },
  { what: 'refuse a deleted key from its deletion on, also in the middle of a session', why: STREAM },
  {
    what: 'let in pages of their own origin alone',
    why: 'its API is called by a path on another host, so that no origin is its own',
  },
  {
    what: 'is nothing to heartbeats and MCP, which take keys alone',
    why: 'its API is called by a path on another host, so that no page is of its origin',
  },
  {
    what: 'that is not UTF-8 is a VALIDATION_ERROR',
    why: 'its gateway repairs bytes that are no text, where API Gateway hands them over in base64',
  },
  {
    what: 'takes every example of a tcp check',
    why: 'one of them is ::1, which no function may reach; test/infra/aws/lambda-ports.test.ts says so',
  },
  {
    what: '404 not found where nothing follows',
    why: 'a path below /ping needs a character there for a gateway to know it; the API says 401 to it',
  },
  { what: '120 pushes at once', why: BURST },
  { what: 'fifty actions', why: BURST },
  { what: 'holds for a hundred creations at once', why: BURST },
  { what: 'makes all of 50 of one entity that are asked for at once', why: BURST },
  { what: 'makes one invitation with one valid token of 20', why: BURST },
  { what: 'makes all of 20 different ones at once', why: BURST },
  { what: 'gives one slug to one of 50 who ask at once', why: BURST },
  { what: 'is one of a hundred at most, also when they are registered at the same time', why: BURST },
  { what: 'stops the probes', why: SECOND },
  { what: 'beside the probes of the schedule are kept, and these go on and are judged', why: SECOND },
  { what: 'is down long before its next slot is due', why: SECOND },
  { what: 'is up again at the first retry that succeeds', why: SECOND },
  { what: 'an agent finds an incident, restarts the target by a tool, and sees it up again', why: SECOND },
];

const isFile = ({ what }: Cannot) => what.endsWith('.test.ts');
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

export const namesThatCan = {
  exclude: CANNOT.filter(isFile).map(({ what }) => `test/${what}`),
  pattern: new RegExp(
    `^(?!.*(${CANNOT.filter((one) => !isFile(one))
      .map(({ what }) => escaped(what))
      .join('|')})).*$`,
  ),
};
