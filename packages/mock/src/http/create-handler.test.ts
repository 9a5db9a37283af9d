import { once } from 'node:events';
import { createServer, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sendRaw } from '../../test/helpers/raw.ts';
import { createContext } from '../create-context.ts';
import { resolveOptions } from '../options.ts';
import type { Surface } from '../surface.ts';
import { createSurfaceOf } from '../surface-of.ts';
import { createCors } from './cors.ts';
import { createHandler } from './create-handler.ts';

const context = createContext(resolveOptions({}));

/** Serves the surfaces of a mock, which waits for a whole request only as long as it is told. */
async function serve(surfaceOf: (path: string) => Surface, options: ServerOptions = {}) {
  const cors = createCors(context.profile);
  const handler = createHandler({ url: () => '', surfaceOf, cors });
  const server = createServer({ ...options, requireHostHeader: false });
  server.on('request', handler.answer).on('clientError', handler.answerBroken);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return server.address() as AddressInfo;
}

test.each([
  ['the upload target', 'POST / HTTP/1.1', '400', '<Code>RequestTimeout</Code>'],
  ['the gateway', 'POST /v1/cloudrun/hello HTTP/1.1', '408', '"code":"INVALID_REQUEST"'],
  ['nothing yet', 'POST', '408', '"code":"INVALID_REQUEST"'],
])('a request to %s that takes too long is refused', async (_, start, status, text) => {
  const address = await serve(createSurfaceOf(context), {
    requestTimeout: 100,
    headersTimeout: 100,
    connectionsCheckingInterval: 20,
  });
  const headers = [
    'host: localhost',
    'authorization: Bearer a',
    'content-type: multipart/form-data; boundary=b',
    'content-length: 9',
  ];
  const bytes = start === 'POST' ? start : `${[start, ...headers].join('\r\n')}\r\n\r\n--b`;
  const reply = await sendRaw(address, bytes);
  expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(reply).toContain(text);
});

test('a defect in the writing of an answer ends its connection, and not the mock', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const defect = new Error('defect');
  const address = await serve((path) => ({
    ...createSurfaceOf(context)(path),
    headers() {
      throw defect;
    },
  }));
  expect(await sendRaw(address, 'GET /v1/cloudrun/hello HTTP/1.1\r\n\r\n')).toBe('');
  expect(warn).toHaveBeenCalledWith(defect);
});
