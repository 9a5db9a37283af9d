import { events, mswHandlers, routes } from '@berth/mock/msw';
import { setupServer } from 'msw/node';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';

const chunks = [{ data: { delta: 'Hel' } }, { data: { delta: 'lo' } }, { data: '[DONE]' }];

// #region handlers
const berth = mswHandlers({
  gatewayUrl: 'https://my-env.api.example.com',
  wireProfile: { gatewayHeaders: { upstreamStatus: 'X-Upstream-Status' } },
  services: { chat: routes({ 'POST /v1/chat/completions': () => events(chunks) }) },
});
// #endregion

const server = setupServer(...berth.handlers);
beforeAll(() => server.listen());
afterAll(() => server.close());

// As SDKs of platforms do: with Node's client, and a signature.
it('mocks a call that was not written for it', async () => {
  const call = https.request(
    'https://my-env.api.example.com/v1/cloudrun/chat/v1/chat/completions',
    {
      method: 'POST',
      headers: {
        authorization:
          'TC3-HMAC-SHA256 Credential=id/2026-11-28/svc/tc3_request, SignedHeaders=host, Signature=ab, Timestamp=1',
      },
    },
  );
  call.end('{"stream":true}');
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  expect(response.headers['x-upstream-status']).toBe('200');
  expect(await text(response)).toBe(
    'id: 1\ndata: {"delta":"Hel"}\n\nid: 2\ndata: {"delta":"lo"}\n\nid: 3\ndata: [DONE]\n\n',
  );
});
