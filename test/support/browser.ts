import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { PATIENCE_MS } from './eventually.ts';

/** At plain http a browser does without it, and says so. */
const NO_OPENER_POLICY = 'The Cross-Origin-Opener-Policy header has been ignored';

/** Names that the browser takes for this machine, as a resolver of its network would. */
const NAMES = ['fleetwatch', 'status.example.com'];

/** @param binary Chromium @param trusted SHA-256 of public keys whose certificates it takes, in base64 */
export const startBrowser = (binary: string, trusted: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: binary,
    args: [
      `--host-resolver-rules=${NAMES.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
      ...(trusted.length > 0 ? [`--ignore-certificate-errors-spki-list=${trusted.join(',')}`] : []),
    ],
  });

/** An authenticator that the browser itself pretends to have. */
export type VirtualAuthenticator = {
  /** What it is asked for, it refuses to know who is there: the wrong finger. */
  failToVerify(): Promise<void>;
  /** Its passkeys, with their private keys. */
  credentials(): Promise<Credential[]>;
  /** Makes it hold a passkey of another one: a copy. */
  hold(credential: Credential): Promise<void>;
  /** Takes it away, as when it is lost. */
  remove(): Promise<void>;
};

type Credential = Awaited<ReturnType<typeof credentialsOf>>[number];

const credentialsOf = async (cdp: CDPSession, authenticatorId: string) =>
  (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;

export type Person = {
  page: Page;
  context: BrowserContext;
  /** A new authenticator: it keeps passkeys, and knows who is there. */
  authenticator(): Promise<VirtualAuthenticator>;
  /** All that the browser has complained of so far: errors of the page, and what its policy kept from running. */
  complaints: string[];
};

/** Somebody with a browser of their own. */
export async function personWith(browser: Browser): Promise<Person> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // What the service has refused is told as an error too; that is no fault of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      if (!message.text().startsWith(NO_OPENER_POLICY)) complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  return {
    page,
    context,
    complaints,
    authenticator: async () => {
      const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      return {
        failToVerify: async () => {
          await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
        },
        credentials: () => credentialsOf(cdp, authenticatorId),
        hold: async (credential) => {
          await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
        },
        remove: async () => {
          await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
        },
      };
    },
  };
}
