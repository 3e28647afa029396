import cf from 'cloudfront';

// Runs at CloudFront before each request (JavaScript runtime 2.0: ES 5.1 with const, arrow functions and templates, no
// import except `cloudfront`, 10 KB). It saves the price of requests that would be rejected; the service authenticates
// every request itself.

// code.ts inserts the data of the deployment.
const DATA = null;

const isOpen = (method, uri) => {
  if (DATA.open_below.some((path) => uri.indexOf(path) === 0)) return true;
  const parts = uri.split('/');
  const fits = (route) =>
    (route.method === method || (route.method === 'GET' && method === 'HEAD')) &&
    route.path.length === parts.length &&
    route.path.every((part, i) => (part[0] === '{' ? parts[i] !== '' : part === parts[i]));
  return DATA.open.some(fits);
};

// A UUID, or a ping key and a slug; the service decides on the rest of the path.
const PING =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:\/.*)?|[A-Za-z0-9_-]{22}\/[A-Za-z0-9_-]+(?:\/.+)?)$/i;

const isInvalidPing = (uri) => uri.indexOf(DATA.pings) === 0 && !PING.test(uri.slice(DATA.pings.length));

const isStreamed = (request) => DATA.streamed.indexOf(request.uri) >= 0;

// The gateway responds to it without calling a function.
const isPreflight = (request) =>
  request.method === 'OPTIONS' && !!request.headers.origin && !!request.headers['access-control-request-method'];

const hasKey = (request) =>
  !!request.headers.authorization && /^Bearer +\S+ *$/i.test(request.headers.authorization.value);

// MCP accepts only keys.
const hasSession = (request) => !!request.cookies[DATA.session_cookie] && !isStreamed(request);

const mayPass = (request) =>
  isOpen(request.method, request.uri) || isPreflight(request) || hasKey(request) || hasSession(request);

// Without this header a page cannot read the response.
const corsHeaders = (origin) => {
  if (DATA.origins[0] === '*') return { 'access-control-allow-origin': { value: '*' } };
  const isNamed = !!origin && DATA.origins.indexOf(origin.value) >= 0;
  return isNamed ? { 'access-control-allow-origin': { value: origin.value }, vary: { value: 'Origin' } } : {};
};

const headersOf = (event) => {
  const headers = corsHeaders(event.request.headers.origin);
  Object.keys(DATA.always).forEach((name) => {
    headers[name] = { value: DATA.always[name] };
  });
  headers['www-authenticate'] = { value: isStreamed(event.request) ? 'Bearer realm="Fleetwatch"' : 'Bearer' };
  headers['content-type'] = { value: 'application/json; charset=utf-8' };
  headers['x-request-id'] = { value: event.context.requestId };
  return headers;
};

const unauthorized = (event) => ({
  statusCode: 401,
  statusDescription: 'Unauthorized',
  headers: headersOf(event),
  body: JSON.stringify({ error: 'Send the header "Authorization: Bearer <API key>".', code: 'UNAUTHORIZED' }),
});

const textHeadersOf = (event) => {
  const headers = headersOf(event);
  delete headers['www-authenticate'];
  headers['content-type'] = { value: 'text/plain; charset=utf-8' };
  headers['access-control-allow-origin'] = { value: '*' };
  return headers;
};

const notFound = (event) => ({
  statusCode: 404,
  statusDescription: 'Not Found',
  headers: textHeadersOf(event),
  body: 'not found',
});

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name
function handler(event) {
  const request = event.request;
  if (isInvalidPing(request.uri)) return notFound(event);
  if (!mayPass(request)) return unauthorized(event);
  // The service does not see these itself, and values of the client are overwritten.
  request.headers[DATA.client.address] = { value: event.viewer.ip };
  request.headers[DATA.client.host] = { value: request.headers.host.value };
  if (!isStreamed(request)) return request;
  if (request.method === 'GET') {
    // CloudFront signs requests to a function URL in the header Authorization, so the caller's moves to another header.
    request.headers[DATA.forwarded_authorization] = { value: request.headers.authorization.value };
  } else {
    cf.selectRequestOriginById(DATA.api);
  }
  return request;
}
