// Runs at CloudFront before each request for a status page: a page is stored as index.html of its folder.

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name
function handler(event) {
  const request = event.request;
  const last = request.uri.slice(request.uri.lastIndexOf('/') + 1);
  if (last.indexOf('.') < 0) request.uri = `${request.uri.replace(/\/$/, '')}/index.html`;
  return request;
}
