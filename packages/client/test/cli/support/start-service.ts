import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { serve } from '../../support/loopback.ts';

/** A call as the gateway received it. */
export interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Starts a gateway with prepared responses for one test. */
export async function startGateway(respond: (response: ServerResponse, seen: Seen) => void) {
  const seen: Seen[] = [];
  const { url, [Symbol.asyncDispose]: close } = await serve(async (request, response) => {
    const { method, headers } = request;
    const call = { method, url: request.url, headers, body: await text(request) };
    seen.push(call);
    response.setHeader('X-Request-Id', 'r-1');
    respond(response, call);
  });
  onTestFinished(close);
  return { seen, variables: { BERTH_GATEWAY_URL: url, BERTH_TOKEN: 'to-ken' } };
}
