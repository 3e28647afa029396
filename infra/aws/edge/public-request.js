// Runs at CloudFront before each request for a status page: a page is stored as index.html of its folder. A domain has a
// folder with its name.

// public-files.ts sets it in the function of the status domains.
const AT_DOMAINS = false;

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name
function handler(event) {
  const request = event.request;
  if (AT_DOMAINS) request.uri = `/${request.headers.host.value.toLowerCase()}${request.uri}`;
  const last = request.uri.slice(request.uri.lastIndexOf('/') + 1);
  if (last.indexOf('.') < 0) request.uri = `${request.uri.replace(/\/$/, '')}/index.html`;
  return request;
}
