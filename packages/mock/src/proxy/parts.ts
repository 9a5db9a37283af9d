import type { IncomingMessage } from 'node:http';
import type { Agent } from 'undici';
import type { Context } from '../context.ts';
import type { ProxyTargets } from '../options.ts';
import type { CallRecord, KeptBytes, RecordedRequest } from '../session/call-record.ts';
import { findHostRefusal, type OwnRefusal } from '../surfaces/own-refusal.ts';
import type { KnownAddresses } from './addresses.ts';
import type { Checkers } from './check-requests.ts';
import type { RawHeaders } from './headers.ts';
import type { Verdicts } from './verdicts.ts';

/** A completed call that went through the mock. */
export interface Exchange {
  readonly request: RecordedRequest;
  readonly record: CallRecord;
  /** Complete request body, if it is recorded. */
  readonly requestBody: KeptBytes;
  readonly status: number;
  /** As the caller received them. */
  readonly headers: RawHeaders;
  readonly body: KeptBytes;
  /** Base URL that the caller used to reach the mock. */
  readonly origin: string;
  /** Milliseconds until the response head, and until the end of the response. */
  readonly headMs: number;
  readonly totalMs: number;
}

/** Records forwarded calls. */
export interface Recorder {
  /** Maximum size of a body to keep. */
  readonly maxBytes: number;
  add(exchange: Exchange): void;
  /** Waits for pending writes. */
  close(): Promise<void>;
}

export interface ProxyParts {
  /** The mock's name in `Via`. */
  readonly via: string;
  readonly context: Context;
  readonly agent: Agent;
  readonly targets: ProxyTargets;
  readonly addresses: KnownAddresses;
  readonly checkers: () => Checkers;
  readonly verdicts: Verdicts;
  readonly recorder: Recorder | undefined;
}

/** Error codes for a deployment that does not respond, by surface. */
export const OUT_OF_REACH = {
  gateway: 'BAD_GATEWAY',
  storage: 'SERVICE_UNAVAILABLE',
  upload: 'ServiceUnavailable',
  link: 'ServiceUnavailable',
};

/**
 * Returns why a call must not be forwarded, or `undefined` if it may be forwarded.
 *
 * A call that this mock has already forwarded is in a loop (RFC 9110, section 7.6.3). Regardless of
 * `origins`, a page whose host name points at this machine must not use the mock to reach a deployment that
 * it could not reach directly.
 */
export function findProxyRefusal(
  request: IncomingMessage,
  { via, context }: Pick<ProxyParts, 'via' | 'context'>,
): (OwnRefusal & { readonly status: number }) | undefined {
  if (request.headers.via?.includes(via)) {
    const message = 'The deployment is this mock itself: set --proxy to another URL.';
    return { code: OUT_OF_REACH, status: 502, message };
  }
  return findHostRefusal(request, { host: context.options.host });
}
