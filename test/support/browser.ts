import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { PATIENCE_MS } from './eventually.ts';

/** Message of a browser that ignores the header because the page was loaded over plain HTTP. */
const NO_OPENER_POLICY = 'The Cross-Origin-Opener-Policy header has been ignored';

/** Names that the browser resolves to this machine. */
const NAMES = ['fleetwatch', 'status.example.com'];

/**
 * Starts Chromium.
 * @param binary path of the program
 * @param trusted SHA-256 digests (base64) of public keys whose certificates the browser accepts
 */
export const startBrowser = (binary: string, trusted: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: binary,
    args: [
      `--host-resolver-rules=${NAMES.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
      ...(trusted.length > 0 ? [`--ignore-certificate-errors-spki-list=${trusted.join(',')}`] : []),
    ],
  });

/** A virtual authenticator of the browser. */
export type VirtualAuthenticator = {
  /** Makes each later user verification fail. */
  failToVerify(): Promise<void>;
  /** Returns its passkeys with their private keys. */
  credentials(): Promise<Credential[]>;
  /** Adds a passkey of another authenticator, as if this one were its clone. */
  addCredential(credential: Credential): Promise<void>;
  /** Removes the authenticator, as if it were lost. */
  remove(): Promise<void>;
};

type Credential = Awaited<ReturnType<typeof credentialsOf>>[number];

const credentialsOf = async (cdp: CDPSession, authenticatorId: string) =>
  (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;

export type Person = {
  page: Page;
  context: BrowserContext;
  /** Adds an authenticator that stores passkeys and verifies the user. */
  authenticator(): Promise<VirtualAuthenticator>;
  /** Errors of the page so far, and what its policy blocked. */
  complaints: string[];
};

/** Opens a separate browser context for a user. */
export async function openBrowserContext(browser: Browser): Promise<Person> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Rejected requests are reported as errors too, but are not a fault of the page.
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
        addCredential: async (credential) => {
          await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
        },
        remove: async () => {
          await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
        },
      };
    },
  };
}
