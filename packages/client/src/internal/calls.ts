import { UPSTREAM_STATUS } from '../generated/contract.gen.ts';
import { redact } from './redact.ts';

/** What is kept of the call that led to an answer. */
export interface RememberedCall {
  readonly method: string;
  readonly url: string;
  /** Header that carries the hosted service's own status (D10). */
  readonly upstreamStatus: string;
  /** Credentials that were sent. */
  readonly secrets: () => readonly string[];
}

/** What an error needs to know of a call. */
export interface Call {
  readonly method: string;
  /** Path of the URL, without its query. */
  readonly path: string;
  /** Header that carries the hosted service's own status (D10). */
  readonly upstreamStatus: string;
  /** Takes the credentials of the call out of a text. */
  readonly redact: (text: string) => string;
}

const calls = new WeakMap<Response, RememberedCall>();

/** Keeps the call of an answer for {@link callOf}. */
export function rememberCall(response: Response, call: RememberedCall): void {
  calls.set(response, call);
}

/** The call that led to an answer, where its client has kept it. */
export function rememberedCall(response: Response): RememberedCall {
  return (
    calls.get(response) ?? {
      method: 'call of',
      url: response.url || 'an unknown path',
      upstreamStatus: UPSTREAM_STATUS,
      secrets: () => [],
    }
  );
}

/** The call that led to an answer, also where its client has not kept it. */
export function callOf(response: Response): Call {
  const { method, url, upstreamStatus, secrets } = rememberedCall(response);
  return { method, path: pathOf(url), upstreamStatus, redact: (text) => redact(text, secrets()) };
}

/** Path of an address, without its query, which may hold a signature. */
export function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?#]*|[?#].*/gs, '') || '/';
}
