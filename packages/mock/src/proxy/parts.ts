import type { IncomingMessage } from 'node:http';
import type { Agent } from 'undici';
import type { Context } from '../context.ts';
import type { ProxyTargets } from '../options.ts';
import type { CallRecord, KeptBytes, RecordedRequest } from '../session/call-record.ts';
import { findHostRefusal, type OwnRefusal } from '../surfaces/own-refusal.ts';
import type { KnownAddresses } from './addresses.ts';
import type { RawHeaders } from './headers.ts';
import type { Judges } from './judge.ts';
import type { Verdicts } from './verdicts.ts';

/** A call that has passed through the mock and is over. */
export interface Exchange {
  readonly request: RecordedRequest;
  readonly record: CallRecord;
  /** All of the request's body, where somebody records it. */
  readonly requestBody: KeptBytes;
  readonly status: number;
  /** As the caller got them. */
  readonly headers: RawHeaders;
  readonly body: KeptBytes;
  /** Address under which the caller reached the mock. */
  readonly origin: string;
  /** Milliseconds until the head of the answer, and until its end. */
  readonly headMs: number;
  readonly totalMs: number;
}

/** Keeps what has passed. */
export interface Recorder {
  /** Most bytes of a body that are kept. */
  readonly maxBytes: number;
  add(exchange: Exchange): void;
  /** Waits until all is written. */
  close(): Promise<void>;
}

export interface ProxyParts {
  /** Name of this mock in `Via`. */
  readonly via: string;
  readonly context: Context;
  readonly agent: Agent;
  readonly targets: ProxyTargets;
  readonly addresses: KnownAddresses;
  readonly judges: () => Judges;
  readonly verdicts: Verdicts;
  readonly recorder: Recorder | undefined;
}

/** By surface, that a deployment gives no answer. */
export const OUT_OF_REACH = {
  gateway: 'BAD_GATEWAY',
  storage: 'SERVICE_UNAVAILABLE',
  upload: 'ServiceUnavailable',
  link: 'ServiceUnavailable',
};

/**
 * Why a call is not to be passed on; undefined where it is.
 *
 * A call that this mock has passed on before has come round (RFC 9110, section 7.6.3). And no page whose
 * name leads to this machine is to reach a deployment that it cannot reach itself, whatever `origins` allows.
 */
export function findProxyRefusal(
  request: IncomingMessage,
  { via, context }: Pick<ProxyParts, 'via' | 'context'>,
): (OwnRefusal & { readonly status: number }) | undefined {
  if (request.headers.via?.includes(via)) {
    const message = 'The deployment is this mock itself: let --proxy lead to another address.';
    return { code: OUT_OF_REACH, status: 502, message };
  }
  return findHostRefusal(request, { host: context.options.host });
}
