import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context } from './context.ts';
import { assertWireProfile } from './contract/assert-wire-profile.ts';
import { createContext } from './create-context.ts';
import { answerConnect } from './http/answer-raw.ts';
import { createCors } from './http/cors.ts';
import { createHandler } from './http/create-handler.ts';
import { type MockOptions, resolveOptions } from './options.ts';
import { createSurfaceOf } from './surface-of.ts';

/** A listening mock with its inside, from which the command line makes its examples. */
export interface Served {
  url: string;
  port: number;
  context: Context;
  close(): Promise<void>;
}

/** Starts one server for both documents, the upload target and the links. */
export async function serve(options: MockOptions): Promise<Served> {
  const resolved = resolveOptions(options);
  if (options.wireProfile !== undefined) await assertWireProfile(options.wireProfile);
  const context = createContext(resolved);
  // A missing Host is the gateway's to refuse, in its own shape.
  const server = createServer({ requireHostHeader: false });
  let url = '';
  const handler = createHandler({
    url: () => url,
    surfaceOf: createSurfaceOf(context),
    cors: createCors(context.profile),
  });
  server
    .on('request', handler.answer)
    // RFC 9110, section 10.1.1 lets a server that does not know an expectation ignore it.
    .on('checkExpectation', handler.answer)
    .on('connect', (_request, socket) => answerConnect(socket))
    .on('clientError', handler.answerBroken);
  server.listen(resolved.port, resolved.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  url = `http://${toUrlHost(resolved.host)}:${port}`;
  return {
    url,
    port,
    context,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A host as it stands in a URL; the addresses that mean "every interface" become the loopback one. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
