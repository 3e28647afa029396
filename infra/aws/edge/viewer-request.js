import cf from 'cloudfront';

// Runs at CloudFront, before each request goes on (JavaScript runtime 2.0: ES 5.1 with const, arrow functions and
// templates, nothing to import but `cloudfront`, 10 KB). It saves the price of requests that nobody can answer: who
// calls is judged by the service, whatever is decided here.

// code.ts puts the data of the deployment in its place.
const DATA = null;

const isOpen = (method, uri) => {
  if (DATA.open_below.some((path) => uri.indexOf(path) === 0)) return true;
  const parts = uri.split('/');
  const fits = (row) =>
    (row.method === method || (row.method === 'GET' && method === 'HEAD')) &&
    row.path.length === parts.length &&
    row.path.every((part, i) => (part[0] === '{' ? parts[i] !== '' : part === parts[i]));
  return DATA.open.some(fits);
};

const isStreamed = (request) => DATA.streamed.indexOf(request.uri) >= 0;

// The gateway answers it, and no function is asked.
const isPreflight = (request) =>
  request.method === 'OPTIONS' && !!request.headers.origin && !!request.headers['access-control-request-method'];

const hasKey = (request) =>
  !!request.headers.authorization && /^Bearer +\S+ *$/i.test(request.headers.authorization.value);

// MCP takes keys alone.
const hasSession = (request) => !!request.cookies[DATA.session_cookie] && !isStreamed(request);

const mayPass = (request) =>
  isOpen(request.method, request.uri) || isPreflight(request) || hasKey(request) || hasSession(request);

// Without it a page could not read the answer.
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

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name
function handler(event) {
  const request = event.request;
  if (!mayPass(request)) return unauthorized(event);
  // The service sees neither by itself, and whatever the client says of them is written over.
  request.headers[DATA.told.address] = { value: event.viewer.ip };
  request.headers[DATA.told.host] = { value: request.headers.host.value };
  if (!isStreamed(request)) return request;
  if (request.method === 'GET') {
    // CloudFront signs what goes to a function URL, in the header Authorization: the caller's own travels beside it.
    request.headers[DATA.forwarded_authorization] = { value: request.headers.authorization.value };
  } else {
    cf.selectRequestOriginById(DATA.api);
  }
  return request;
}
