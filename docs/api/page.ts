// The API reference. The mock responds to its calls, in a service worker of the page.
import { events, mswHandlers, routes } from '@berth/mock/msw';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { createApiReference } from '@scalar/api-reference';
import { setupWorker } from 'msw/browser';

/** Calls go to the host of the page, so that they need no other one. */
const { origin } = location;

/** What the examples of the documents expect. */
const ENV = 'dev';
const FILE = 'reports/summary.txt';
const CREDENTIALS = { authorization: '1.0 any', timestamp: '1700000000' };

const berth = mswHandlers({
  baseUrl: origin,
  env: ENV,
  services: {
    hello: routes({
      'GET /events': (request) => events([{ id: '1', data: 'Hello.' }], request),
      'GET /*': ({ url }) => toGreeting({ method: 'GET', path: new URL(url).pathname }),
      'POST /*': async (request) => toGreeting({ method: 'POST', body: await request.text() }),
    }),
  },
});
berth.files.put(FILE, 'Hello from Berth.', 'text/plain');

let uploadPath = '/';
try {
  const worker = setupWorker(...berth.handlers);
  const serviceWorker = { url: '../mockServiceWorker.js', options: { scope: '../' } };
  await worker.start({ quiet: true, onUnhandledRequest: 'bypass', serviceWorker });
  report('A mock in this page responds to Send. It keeps your files until you leave.');
  uploadPath = await prepareUpload();
} catch (error) {
  report(`Send does not work here: ${(error as Error).message}`);
}

/** The page loads nothing from other hosts. */
const COMMON = {
  servers: [{ url: origin }],
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never' as const,
  defaultOpenAllTags: true,
};

createApiReference('#reference', [
  {
    ...COMMON,
    title: 'Gateway v1',
    slug: 'gateway',
    content: gateway,
    authentication: {
      preferredSecurityScheme: 'bearerToken',
      securitySchemes: { bearerToken: { token: 'dev' } },
    },
  },
  {
    ...COMMON,
    title: 'Storage v2',
    slug: 'storage',
    content: { ...storage, paths: placeUpload(uploadPath) },
    authentication: {
      preferredSecurityScheme: [['authorization', 'timestamp']],
      securitySchemes: {
        authorization: { value: CREDENTIALS.authorization },
        timestamp: { value: CREDENTIALS.timestamp },
      },
    },
  },
]);

/**
 * Fills the form of `uploadFile` with a grant, as the first step of an upload returns it.
 *
 * @returns the path of the upload URL
 */
async function prepareUpload(): Promise<string> {
  const { authorization, timestamp } = storage.components.securitySchemes;
  const response = await fetch(`${origin}/api/v2/envs/${ENV}/storages:getUploadMetaData`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      [authorization.name]: CREDENTIALS.authorization,
      [timestamp.name]: CREDENTIALS.timestamp,
    },
    body: JSON.stringify({ path: FILE }),
  });
  const { url, token, authorization: signature, storeFileID } = (await response.json()).body.data;
  Object.assign(storage.components.examples.UploadForm.value, {
    Signature: signature,
    'x-store-security-token': token,
    'x-store-meta-fileid': storeFileID,
    key: FILE,
  });
  return new URL(url).pathname;
}

/** The operations, with `uploadFile` at its path: Scalar does not support the servers of a path. */
function placeUpload(path: string): object {
  const { '/': upload, ...paths } = storage.paths;
  return { ...paths, [path]: { ...upload, servers: undefined } };
}

function toGreeting(call: object): Response {
  return Response.json({ message: 'Hello from the hosted service.', ...call });
}

function report(text: string): void {
  const status = document.getElementById('status');
  if (status !== null) status.textContent = text;
}
