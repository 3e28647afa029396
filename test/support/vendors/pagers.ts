import * as z from 'zod';
import { atMost, nonEmpty, parsed, Url, type Vendor, type VendorResponse } from './vendor.ts';

/** https://developer.pagerduty.com/docs/send-alert-event and its OpenAPI schema of Events API v2. */
const PagerDutyEvent = z
  .strictObject({
    routing_key: z.string().length(32),
    event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
    dedup_key: nonEmpty(255),
    payload: z
      .strictObject({
        summary: nonEmpty(1024),
        source: nonEmpty(1024),
        severity: z.enum(['critical', 'error', 'warning', 'info']),
        timestamp: z.iso.datetime(),
        component: z.string(),
        group: z.string(),
        class: z.string(),
        custom_details: z.record(z.string(), z.unknown()),
      })
      .optional(),
    links: z.array(z.strictObject({ href: Url, text: z.string() })).optional(),
    client: z.string().optional(),
    client_url: Url.optional(),
  })
  .refine(({ event_action, payload }) => event_action !== 'trigger' || payload, "'payload' is missing");

/** Acts like Events API v2. @param open keys of triggered and unresolved events */
export function pagerDuty(open = new Set<string>()): Vendor {
  return (request) => {
    const { data, wrong } = parsed(PagerDutyEvent, request);
    if (request.path !== '/v2/enqueue') return { status: 404 };
    if (wrong) {
      return { status: 400, body: { status: 'invalid event', message: 'Event object is invalid', errors: wrong } };
    }
    if (data.event_action === 'trigger') open.add(data.dedup_key);
    if (data.event_action === 'resolve') open.delete(data.dedup_key);
    return { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: data.dedup_key } };
  };
}

/** https://docs.opsgenie.com/docs/alert-api#create-alert */
const OpsgenieAlert = z.strictObject({
  message: nonEmpty(130),
  alias: atMost(512),
  description: atMost(15_000),
  entity: atMost(512),
  priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
  source: atMost(100),
  tags: z.array(atMost(50)).max(20),
  details: z.record(z.string(), z.string()),
});
const OpsgenieAction = z.strictObject({ source: atMost(100), note: atMost(25_000), user: atMost(100).optional() });

/**
 * Acts like the Alert API, which accepts every valid request with 202 and processes it later.
 * @param open aliases of open alerts
 */
export function opsgenie(key: string, open = new Set<string>()): Vendor {
  const accepted: VendorResponse = {
    status: 202,
    body: { result: 'Request will be processed', took: 0.107, requestId: '43a29c5c-3dbf-4fa4-9c26-f4f71023e120' },
  };
  const unprocessable = (errors: string[]): VendorResponse => ({
    status: 422,
    body: { message: `Request body is not processable. ${errors.join('; ')}`, took: 0.001, requestId: 'r' },
  });
  return (request) => {
    if (request.headers.authorization !== `GenieKey ${key}`) {
      return { status: 401, body: { message: 'Could not authenticate', took: 0.001, requestId: 'r' } };
    }
    const [, alias = '', action] = /^\/v2\/alerts\/([^/]+)\/(acknowledge|close)$/.exec(request.path) ?? [];
    if (action) {
      const { wrong } = parsed(OpsgenieAction, request);
      if (wrong) return unprocessable(wrong);
      if (request.query.get('identifierType') !== 'alias') return { status: 404, body: { message: 'Alert not found' } };
      if (action === 'close') open.delete(decodeURIComponent(alias));
      return accepted;
    }
    const { data, wrong } = parsed(OpsgenieAlert, request);
    if (wrong) return unprocessable(wrong);
    open.add(data.alias);
    return accepted;
  };
}

/** https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource */
export function twilio(account: string, token: string): Vendor {
  const refused = (status: number, code: number, message: string): VendorResponse => ({
    status,
    body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
  });
  return ({ path, headers, body }) => {
    const basic = Buffer.from(`${account}:${token}`).toString('base64');
    if (headers.authorization !== `Basic ${basic}`) return refused(401, 20003, 'Authenticate');
    if (path !== `/2010-04-01/Accounts/${account}/Messages.json`) return refused(404, 20404, 'Not found');
    const form = new URLSearchParams(body);
    const [to, text] = [form.get('To') ?? '', form.get('Body') ?? ''];
    if (!/^\+[1-9]\d{6,14}$/.test(to)) return refused(400, 21211, `The 'To' number ${to} is not a valid phone number.`);
    if (to === '+15005550009') return refused(400, 21614, `'To' number ${to} is not a valid mobile number`);
    if (!form.get('From') === !form.get('MessagingServiceSid'))
      return refused(400, 21603, "A 'From' number is required");
    if (text === '') return refused(400, 21602, 'Message body is required.');
    if (text.length > 1600)
      return refused(400, 21617, 'The concatenated message body exceeds the 1600 character limit.');
    return { status: 201, body: { sid: 'SM0123456789abcdef0123456789abcdef', status: 'queued', body: text } };
  };
}

/** https://pushover.net/api */
const PushoverMessage = z
  .strictObject({
    token: z.string().length(30),
    user: z.string().length(30),
    device: z.string().optional(),
    title: atMost(250),
    message: nonEmpty(1024),
    priority: z.int().min(-2).max(2),
    retry: z.int().min(30).optional(),
    expire: z.int().max(10_800).optional(),
    url: atMost(512).optional(),
    url_title: atMost(100).optional(),
    timestamp: z.int(),
  })
  .refine(
    ({ priority, retry, expire }) => priority < 2 || (retry && expire),
    'expire must be supplied with priority=2',
  );

export const pushover =
  (user: string): Vendor =>
  (received) => {
    const { data, wrong } = parsed(PushoverMessage, received);
    const request = '647d2300-702c-4b38-8b2f-d56326ae460b';
    if (wrong) return { status: 400, body: { errors: wrong, status: 0, request } };
    if (data.user !== user) {
      const errors = ['user identifier is not a valid user, group, or subscribed user key'];
      return { status: 400, body: { user: 'invalid', errors, status: 0, request } };
    }
    return { status: 200, body: { status: 1, request } };
  };

/** https://gotify.net/api-docs */
const GotifyMessage = z.strictObject({
  title: z.string(),
  message: z.string().min(1),
  priority: z.int(),
  extras: z.record(z.string().regex(/^\w+::\w+$/), z.unknown()),
});

export const gotify =
  (token: string): Vendor =>
  (request) => {
    if (request.headers['x-gotify-key'] !== token) {
      const errorDescription = 'you need to provide a valid access token or user credentials to access this api';
      return { status: 401, body: { error: 'Unauthorized', errorCode: 401, errorDescription } };
    }
    const { wrong } = parsed(GotifyMessage, request);
    if (wrong) return { status: 400, body: { error: 'Bad Request', errorCode: 400, errorDescription: wrong.join() } };
    return {
      status: 200,
      body: { id: 25, appid: 5, message: 'm', title: 't', priority: 2, date: '2026-11-21T05:16:41Z' },
    };
  };
