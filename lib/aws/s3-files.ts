import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Checksum, SourceData } from '@smithy/types';
import { AppError } from '#lib/platform/errors.ts';
import type { Files, PublicFile } from '#lib/platform/ports.ts';

/** Time limit of a request (ms): two attempts end within the five seconds that `Files` allows. */
const TIMEOUT_MS = 2_000;
/** Attempts of a write. A read has one, so that a page can be rendered after a failure before CloudFront times out. */
const ATTEMPTS = 2;

/** Response headers of published files for browsers and CloudFront; S3 stores them with each file. */
type StoredHeaders = Readonly<Record<string, string>>;

class Sha256 implements Checksum {
  #hash: Hash | Hmac;
  constructor(secret?: SourceData) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    this.#hash = createHash('sha256');
  }
}

function bytesOf(data: SourceData): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/**
 * Returns the port of published files in a bucket of the function's region, without the S3 client, which is ten times
 * as large. As in the SDK, AWS_ENDPOINT_URL_S3, else AWS_ENDPOINT_URL, replaces the address of S3.
 */
export function s3Files(name: string, headers: StoredHeaders): Files {
  const region = process.env.AWS_REGION ?? '';
  const signer = new SignatureV4({
    service: 's3',
    region,
    credentials: fromEnv(),
    sha256: Sha256,
    uriEscapePath: false,
  });
  const endpoint = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  const base = new URL(endpoint === undefined ? `https://${name}.s3.${region}.amazonaws.com` : `${endpoint}/${name}`);
  const root = base.pathname === '/' ? '' : base.pathname;

  async function attempt(method: 'GET' | 'PUT' | 'DELETE', path: string, file?: PublicFile): Promise<Response> {
    const signed = await signer.sign({
      method,
      protocol: base.protocol,
      hostname: base.hostname,
      path: `${root}/${path.split('/').map(encodeURIComponent).join('/')}`,
      query: {},
      headers: { host: base.host, ...(file && { ...headers, 'content-type': file.type }) },
      ...(file && { body: file.bytes }),
    });
    const { host: _set, ...sent } = signed.headers;
    return fetch(`${base.origin}${signed.path}`, {
      method,
      headers: sent,
      ...(file && { body: Buffer.from(file.bytes) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  async function request(method: 'GET' | 'PUT' | 'DELETE', path: string, file?: PublicFile): Promise<Response> {
    for (let tries = 1; ; tries++) {
      try {
        const response = await attempt(method, path, file);
        if (response.status < 500) return response;
        throw new Error(`S3 responded ${response.status}`);
      } catch (cause) {
        if (method !== 'GET' && tries < ATTEMPTS) continue;
        throw new AppError('UNAVAILABLE', 'The published files are not accessible.', { cause });
      }
    }
  }

  const refused = async (method: string, path: string, response: Response): Promise<Error> =>
    new Error(`S3 refused to ${method} ${path}: ${response.status} ${await response.text()}`);

  return {
    put: async (path, file) => {
      const response = await request('PUT', path, file);
      if (!response.ok) throw await refused('PUT', path, response);
    },
    get: async (path) => {
      const response = await request('GET', path);
      // 403 is the response for a missing file without the right to list the bucket.
      if (response.status === 404 || response.status === 403) return undefined;
      if (!response.ok) throw await refused('GET', path, response);
      const type = response.headers.get('content-type') ?? 'application/octet-stream';
      return { bytes: new Uint8Array(await response.arrayBuffer()), type };
    },
    remove: async (paths) => {
      for (const path of paths) {
        const response = await request('DELETE', path);
        if (!response.ok && response.status !== 404) throw await refused('DELETE', path, response);
      }
    },
  };
}
