import { expect, test } from 'vitest';
import { startServer } from './support/start-server.ts';

test.each(['/v1/cloudrun/hello/a', '/api/v2/envs/dev/storages:batchDelete', '/upload'])(
  'a page sends headers of its SDK to %s',
  async (path) => {
    const { url } = await startServer();
    const { headers } = await fetch(url + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:5173',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-sdk-version,mcp-session-id',
      },
    });
    expect(headers.get('access-control-allow-headers')).toMatch(/, x-sdk-version, mcp-session-id$/);
  },
);
