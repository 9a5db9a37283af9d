// The API reference. The mock responds to its calls, in a service worker of the page.
import { mswHandlers } from '@berth/mock/msw';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { createApiReference } from '@scalar/api-reference';
import { setupWorker } from 'msw/browser';

/** The address of `npm start`, so that copied commands work. In the page, the service worker responds in its place. */
const BASE_URL = 'http://127.0.0.1:4010';

/** The file in the examples of the documents. */
const FILE = 'reports/summary.txt';
const CREDENTIALS = { authorization: '1.0 any', timestamp: '1700000000' };

const berth = mswHandlers({
  baseUrl: BASE_URL,
  services: {
    hello: async (request) => {
      const { pathname } = new URL(request.url);
      const message = 'Hello from the hosted service.';
      return Response.json({ message, path: pathname, body: await request.text() });
    },
  },
});
berth.files.put(FILE, 'Hello from Berth.', 'text/plain');

const status = document.getElementById('status') as HTMLElement;
try {
  const serviceWorker = { url: '../mockServiceWorker.js', options: { scope: '../' } };
  const worker = setupWorker(...berth.handlers);
  await worker.start({ quiet: true, onUnhandledRequest: 'bypass', serviceWorker });
  status.textContent = 'A mock in this page responds to Send. Copied commands call npm start.';
  await prepareUpload();
} catch (error) {
  status.textContent = `Send does not work here: ${(error as Error).message}`;
}

/** The page loads nothing from other hosts. */
const COMMON = {
  servers: [{ url: BASE_URL }],
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
    content: storage,
    authentication: {
      preferredSecurityScheme: [['authorization', 'timestamp']],
      securitySchemes: {
        authorization: { value: CREDENTIALS.authorization },
        timestamp: { value: CREDENTIALS.timestamp },
      },
    },
  },
]);

/** Fills the form of `uploadFile` with a grant, as the first step of an upload returns it. */
async function prepareUpload(): Promise<void> {
  const { paths, components } = storage;
  const { authorization, timestamp } = components.securitySchemes;
  const response = await fetch(`${BASE_URL}/api/v2/envs/dev/storages:getUploadMetaData`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      [authorization.name]: CREDENTIALS.authorization,
      [timestamp.name]: CREDENTIALS.timestamp,
    },
    body: JSON.stringify({ path: FILE }),
  });
  const grant = (await response.json()).body.data;
  Object.assign(components.examples.UploadForm.value, {
    Signature: grant.authorization,
    'x-store-security-token': grant.token,
    'x-store-meta-fileid': grant.storeFileID,
    key: FILE,
  });
  // Scalar does not support the servers of a path.
  const { '/': upload, ...others } = paths;
  const path = new URL(grant.url).pathname;
  Object.assign(storage, { paths: { ...others, [path]: { ...upload, servers: undefined } } });
}
