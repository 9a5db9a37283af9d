import type { ServerResponse } from 'node:http';

const BODY = JSON.stringify({ title: 'Internal Server Error', status: 500 });

/** The answer when even the shape of a fault could not be made: fixed, so that it cannot fail too. */
export function sendLastResort(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response.writeHead(500, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(BODY),
    connection: 'close',
  });
  response.end(BODY);
}
