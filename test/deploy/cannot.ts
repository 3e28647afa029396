type Cannot = {
  /** File below test/, or the name of a test in vitest (a part is sufficient). */
  what: string;
  why: string;
};

const OWN = 'starts a service of one machine and sends nothing to BASE_URL';
const BURST = 'starts a process per concurrent request, too many for two cores; the embedded service is tested instead';
const STREAM =
  'its function URLs buffer a response until it is complete; test/infra/aws/streaming-lambda.test.ts streams';
const SECOND = 'needs a probe each second, and SQS delays by whole seconds: the minimum interval on AWS is 10 s';

/** Contract and console tests that the emulator cannot pass. All others run against the deployed stack. */
export const CANNOT: readonly Cannot[] = [
  { what: 'contract/crash.nightly.test.ts', why: OWN },
  { what: 'contract/action-runs-crash.test.ts', why: OWN },
  { what: 'contract/walk.test.ts', why: `${OWN}; deployed-walk.test.ts replaces it here` },
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
    why: 'its gateway replaces bytes that are not text, which API Gateway passes in base64',
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
