type Exclusion = {
  /** File below test/, or the name of a test in vitest (a part is sufficient). */
  what: string;
  why: string;
};

const OWN = 'starts its own service on this machine and sends nothing to BASE_URL';
const BURST =
  'the emulator starts a process per concurrent request, too many for two cores; the embedded service is tested instead';
const STREAM =
  'its function URLs buffer a response until it is complete; test/infra/aws/streaming-lambda.test.ts tests streaming';
const SECOND = 'needs a probe each second, and SQS delays by whole seconds: the minimum interval on AWS is 10 s';

/** Contract and console tests that the emulator cannot pass. All others can. */
export const CANNOT: readonly Exclusion[] = [
  { what: 'contract/crash.nightly.test.ts', why: OWN },
  { what: 'contract/action-runs-crash.test.ts', why: OWN },
  { what: 'contract/walk.test.ts', why: `${OWN}; deployed-walk.test.ts replaces it here` },
  { what: 'contract/slow-shop.test.ts', why: OWN },
  { what: 'contract/nats.test.ts', why: OWN },
  { what: 'contract/passkey*.test.ts', why: OWN },
  { what: 'console/{behind-tls,first-start,oidc}.test.ts', why: OWN },
  { what: 'fleet page during a service outage', why: OWN },
  { what: 'tab during a service outage', why: OWN },
  { what: 'contract/mcp-stream.test.ts', why: STREAM },
  { what: 'opens a stream', why: STREAM },
  { what: 'rejects a deleted key immediately, even during a session', why: STREAM },
  {
    what: 'accepts only same-origin pages',
    why: 'its API has a path on another host, so no page is of the same origin',
  },
  {
    what: 'is ignored by heartbeats and MCP, which accept only keys',
    why: 'its API has a path on another host, so no page is of the same origin',
  },
  {
    what: 'not UTF-8',
    why: 'its gateway replaces bytes that are not text, which API Gateway passes in base64',
  },
  {
    what: 'accepts each valid example of a tcp check',
    why: 'one of them is ::1, which no function may reach; test/infra/aws/lambda-ports.test.ts tests that',
  },
  {
    what: 'is 404 not found without a UUID',
    why: 'the gateway routes `/ping/` to heartbeats only if something follows; without it, the API rejects the request with 401',
  },
  { what: '120 concurrent pushes', why: BURST },
  { what: 'the action limit', why: BURST },
  { what: 'holds for a hundred concurrent creations', why: BURST },
  { what: 'creates all of 50 concurrent relations of one entity', why: BURST },
  { what: 'creates one invitation with one valid token for 20 concurrent requests', why: BURST },
  { what: 'creates all of 20 different concurrent invitations', why: BURST },
  { what: 'gives a slug to one of 50 concurrent requests', why: BURST },
  { what: 'is rejected beyond a hundred, even for concurrent requests', why: BURST },
  { what: 'is no longer probed', why: SECOND },
  { what: 'are kept along with scheduled probes, which continue and count', why: SECOND },
  { what: 'is down long before its next slot', why: SECOND },
  { what: 'is up at the first successful retry', why: SECOND },
  { what: 'lets an agent find a failure, restart the target with a tool, and see it up again', why: SECOND },
];

const isFile = ({ what }: Exclusion) => what.endsWith('.test.ts');
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Files and test names that vitest leaves out: `exclude` lists files, and `pattern` matches all other names. */
export const testSelection = {
  exclude: CANNOT.filter(isFile).map(({ what }) => `test/${what}`),
  pattern: new RegExp(
    `^(?!.*(${CANNOT.filter((one) => !isFile(one))
      .map(({ what }) => escaped(what))
      .join('|')})).*$`,
  ),
};
