import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Agent } from 'undici';
import type { Context } from '../context.ts';
import type { ProxyTargets } from '../options.ts';
import { type RecordedRequest, recordOf } from '../session/call-record.ts';
import { sendOwnRefusal } from '../surfaces/own-refusal.ts';
import { createKnownAddresses, findDestination } from './addresses.ts';
import { createCheckers } from './check-requests.ts';
import { findProxyRefusal, forward, type ProxyParts, type Recorder } from './forward.ts';
import { forwardUpgrade } from './forward-upgrade.ts';

/** A real deployment, or recordings of one, that responds in place of the mock. */
export interface Backend {
  /** Responds to a call on any surface. */
  respond(request: RecordedRequest, response: ServerResponse): Promise<void> | void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes connections, and waits for pending writes. */
  close(): Promise<void>;
}

/**
 * Creates a proxy that forwards every call to a deployment, and checks requests and responses against the
 * contract. It modifies only the URLs that the storage API issues: the mock stores them, and replaces them
 * with its own.
 */
export function createProxy(
  context: Context,
  targets: ProxyTargets,
  onForwarded: ProxyParts['onForwarded'],
  recorder: Recorder | undefined,
): Backend {
  // A stream may be idle indefinitely; a response must begin within 300 s.
  const agent = new Agent({ bodyTimeout: 0 });
  const addresses = createKnownAddresses();
  const checkers = createCheckers(context);
  // RFC 9110, section 7.6.3: a pseudonym unique to this mock.
  const via = `berth-mock-${randomBytes(6).toString('hex')}`;
  const parts = { via, context, agent, targets, addresses, checkers, onForwarded, recorder };

  return {
    respond(request, response) {
      const record = recordOf(request);
      const { surface } = record;
      const refusal = findProxyRefusal(request, parts);
      if (refusal !== undefined) return sendOwnRefusal(refusal, surface, context, response);
      const destination = findDestination(surface, request.url ?? '/', targets, addresses);
      if (destination !== undefined) return forward(parts, request, response, destination);
      record.matched = false;
      const message = 'The mock did not issue this URL: request a new one from the storage API.';
      sendOwnRefusal({ reason: 'denied', status: 403, message }, surface, context, response);
    },
    upgrade: (request, socket, head) => forwardUpgrade(parts, request, socket, head),
    async close() {
      await agent.destroy();
      await recorder?.close();
    },
  };
}
