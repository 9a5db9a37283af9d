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

/** A finished call that went through the mock. */
export interface Exchange {
  readonly request: RecordedRequest;
  readonly record: CallRecord;
  /** Complete body of the request, if it is recorded. */
  readonly requestBody: KeptBytes;
  readonly status: number;
  /** As the caller got them. */
  readonly headers: RawHeaders;
  readonly body: KeptBytes;
  /** Base URL by which the caller reached the mock. */
  readonly origin: string;
  /** Milliseconds until the head of the response, and until its end. */
  readonly headMs: number;
  readonly totalMs: number;
}

/** Keeps forwarded calls. */
export interface Recorder {
  /** Maximum size of a body to keep. */
  readonly maxBytes: number;
  add(exchange: Exchange): void;
  /** Waits for pending writes. */
  close(): Promise<void>;
}

export interface ProxyParts {
  /** Name of this mock in `Via`. */
  readonly via: string;
  readonly context: Context;
  readonly agent: Agent;
  readonly targets: ProxyTargets;
  readonly addresses: KnownAddresses;
  readonly checkers: () => Checkers;
  readonly verdicts: Verdicts;
  readonly recorder: Recorder | undefined;
}

/** Error codes for a deployment without a response, by surface. */
export const OUT_OF_REACH = {
  gateway: 'BAD_GATEWAY',
  storage: 'SERVICE_UNAVAILABLE',
  upload: 'ServiceUnavailable',
  link: 'ServiceUnavailable',
};

/**
 * Why a call must not be forwarded; undefined if it may be.
 *
 * A call that this mock has already forwarded is in a loop (RFC 9110, section 7.6.3). And a page whose host
 * name points at this machine must not reach a deployment that it cannot reach itself, whatever `origins`
 * allows.
 */
export function findProxyRefusal(
  request: IncomingMessage,
  { via, context }: Pick<ProxyParts, 'via' | 'context'>,
): (OwnRefusal & { readonly status: number }) | undefined {
  if (request.headers.via?.includes(via)) {
    const message = 'The deployment is this mock itself: set --proxy to another address.';
    return { code: OUT_OF_REACH, status: 502, message };
  }
  return findHostRefusal(request, { host: context.options.host });
}
