import type { OpenWebSocket } from '@berth/client';
import type { Deployment } from '../platform-case.ts';
import { runSuite } from '../run-suite.ts';
import { SUITE } from '../suite.ts';
import { unusable } from './unusable.ts';

const BEARER = 'Bearer ';

/** The WebSocket constructor in Workers takes no headers, so the token is sent as a subprotocol (D14). */
const openWebSocket: OpenWebSocket = (url, protocols, { authorization = '' }) =>
  new WebSocket(url, [...protocols, `berth.bearer.${authorization.slice(BEARER.length)}`]);

/** Runs the suite in a Worker: receives a deployment as JSON, and returns each result as a line of JSON. */
async function run(request: Request, results: WritableStream<Uint8Array>): Promise<void> {
  const writer = results.getWriter();
  const encoder = new TextEncoder();
  await runSuite(
    SUITE,
    'workerd',
    (await request.json()) as Deployment,
    {
      openWebSocket,
      // Whatever a Worker adds, its runtime ignores it.
      trustingFetch: (ca) => (url, init) =>
        fetch(url, { ...init, tls: { ca }, client: {}, dispatcher: {} } as RequestInit),
      createAgent: () => unusable,
    },
    (result) => writer.write(encoder.encode(`${JSON.stringify(result)}\n`)),
  );
  await writer.close();
}

export default {
  fetch(request: Request): Response {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    run(request, writable).catch((error) => writable.abort(error));
    return new Response(readable);
  },
};
