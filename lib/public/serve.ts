import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { spendForAddress } from '#lib/access/rate-gate.ts';
import type { Env } from '#lib/env.ts';
import { publishMessage } from '#lib/messages.ts';
import { AppError, errorBody } from '#lib/platform/errors.ts';
import { type ApiEvent, type ApiResult, isCurrent } from '#lib/platform/http/api-event.ts';
import { compressed, etagOf } from '#lib/platform/http/compress-response.ts';
import { loggedError } from '#lib/platform/http/router.ts';
import type { PublicFile } from '#lib/platform/ports.ts';
import { BADGE_PATH } from './badges/badge.ts';
import { serveBadge } from './badges/serve-badge.ts';
import { BADGE_CACHING, PUBLIC_CACHING, PUBLIC_HEADERS } from './headers.ts';
import { missingHtml } from './pages/html.ts';
import { renderFiles, STATUS_PATH } from './pages/render.ts';
import { foldersOf, isDomain, type StatusAddressItem, type StatusPageItem } from './pages/status-page.ts';

/**
 * Path of a published file: `/status/`, the address or domain of its page, and the name of the file. Apart from badges,
 * no other path reaches the files or the table. The edge and the gateway add the domain of a request to its path.
 */
const PATH =
  /^\/status\/([a-z0-9]+(?:-[a-z0-9]+)*(?:--[\w-]{22})?|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(|\/|\.json|\/index\.json|\/history|\/index\.html|\/history\/index\.html|\/feed\.atom|\/maintenance\.ics|\/logo-[0-9a-f]{12}\.(?:png|jpg|webp))$/;

const METHODS = ['GET', 'HEAD'];

/** Id that no account has. The function may read only keys with an account id of this length (infra/topology.ts). */
const NO_TENANT = `acc_${'0'.repeat(26)}`;

const MISSING_CACHING = { 'cache-control': 'public, max-age=10' };

/**
 * Handles requests of visitors without a key: GET and HEAD of published files and badges. Never throws. If a file is
 * missing or the storage fails, a page that exists is rendered now and published. Badges are drawn from the table.
 * Unknown query parameters are ignored, as at the edge.
 */
export function servePublic(env: Env): (event: ApiEvent) => Promise<ApiResult> {
  const missing: PublicFile = { bytes: Buffer.from(missingHtml()), type: 'text/html; charset=utf-8' };
  return async ({ rawPath, rawQueryString, headers, requestContext }) => {
    const { requestId: request_id, http } = requestContext;
    const { method, sourceIp: address = '' } = http;
    try {
      if (!METHODS.includes(method)) {
        const allow = METHODS.join(', ');
        throw new AppError('METHOD_NOT_ALLOWED', `${method} is not allowed; use ${allow}.`, { headers: { allow } });
      }
      if (rawPath.startsWith(BADGE_PATH)) {
        spendForAddress(env.ports, address, 'open');
        const { status, file } = await serveBadge(env, rawPath, new URLSearchParams(rawQueryString));
        return await fileResult(file, headers, request_id, status, status === 200 ? BADGE_CACHING : MISSING_CACHING);
      }
      const found = await fileAt(env, rawPath, address);
      if (found) return await fileResult(found, headers, request_id, 200, PUBLIC_CACHING);
      return await fileResult(missing, headers, request_id, 404, MISSING_CACHING);
    } catch (error) {
      const request = { request_id, method, path: `/${rawPath.split('/')[1]}/…`, headers, source_ip: address };
      const refused = loggedError(env.ports.log, error, request);
      const type = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
      return {
        statusCode: refused.status,
        headers: { ...type, 'x-request-id': request_id, ...PUBLIC_HEADERS, ...refused.headers },
        body: JSON.stringify(errorBody(refused, request_id)),
      };
    }
  };
}

/** Returns the published file of a request path, or renders it; undefined if no page has it. */
async function fileAt(env: Env, path: string, client: string): Promise<PublicFile | undefined> {
  const [, folder, rest = ''] = PATH.exec(path) ?? [];
  if (folder === undefined) return undefined;
  const isPage = ['', '/', '/history'].includes(rest);
  const file = `${STATUS_PATH}/${folder}${isPage ? `${rest.replace(/\/$/, '')}/index.html` : rest}`;
  const stored = await env.ports.files.get(file).catch((error) => {
    env.ports.log.warn('published file not read, page rendered instead', { error });
    return undefined;
  });
  if (stored) return stored;
  spendForAddress(env.ports, client, 'open');
  return (await renderNow(env, folder))?.get(file);
}

/** Renders the files of a page, and requests its publication; undefined if no visible page has the folder. */
async function renderNow(env: Env, folder: string): Promise<Map<string, PublicFile> | undefined> {
  const { ports, keys } = env;
  const address = isDomain(folder) ? folder : folder.split('--', 1)[0]!;
  const pointer = await ports.table.get<StatusAddressItem>(keys.statusAddress(address));
  // An unknown page costs the same reads as a draft, so that the response time does not reveal a draft.
  const { tenant_id, page_id } = pointer ?? { tenant_id: NO_TENANT, page_id: 'none' };
  const [page, account] = await ports.table.getMany<[StatusPageItem, AccountItem]>([
    keys.statusPage(tenant_id, page_id),
    keys.account(tenant_id),
  ]);
  if (!page || !account || isDisabled(account) || !foldersOf(page).includes(folder)) return undefined;
  const { files } = await renderFiles(env, { page, account });
  await ports.queues.send('publish', [publishMessage(tenant_id, ports.clock.now(), page_id)]);
  return files;
}

async function fileResult(
  { bytes, type }: PublicFile,
  requested: ApiEvent['headers'],
  request_id: string,
  statusCode: number,
  caching: Record<string, string>,
): Promise<ApiResult> {
  const etag = etagOf(bytes);
  const headers = { 'x-request-id': request_id, ...PUBLIC_HEADERS, ...caching, etag, vary: 'accept-encoding' };
  if (statusCode === 200 && isCurrent(requested, etag)) return { statusCode: 304, headers, body: '' };
  const small = type.startsWith('image/') ? undefined : await compressed(bytes, requested);
  return {
    statusCode,
    headers: { ...headers, 'content-type': type, ...(small && { 'content-encoding': 'gzip' }) },
    body: (small ?? Buffer.from(bytes)).toString('base64'),
    isBase64Encoded: true,
  };
}
