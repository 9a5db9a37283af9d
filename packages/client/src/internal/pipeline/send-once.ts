import type { TryEvent } from '../../call-options.ts';
import { rememberCall } from '../calls.ts';
import { platformFetch } from '../platform-fetch.ts';
import { isStream } from '../to-body.ts';
import { networkFailure } from './network-failure.ts';
import type { PipelineCall, PipelineOptions } from './pipeline-call.ts';

/** Adds the credentials to the headers of a try, and gives these. */
export async function sign(
  { signer }: PipelineOptions,
  { method, url, body }: PipelineCall,
  headers: Headers,
  now: () => number,
): Promise<Headers> {
  await signer?.sign({
    method,
    get url() {
      return new URL(url, (globalThis as { location?: { href: string } }).location?.href);
    },
    headers,
    body,
    get now() {
      return now();
    },
  });
  return headers;
}

/** One try: hooks, credentials, `fetch`. Gives the answer whatever its status. */
export async function sendOnce(
  options: PipelineOptions,
  call: PipelineCall,
  event: TryEvent,
  signal: AbortSignal,
  now: () => number,
): Promise<{ response: Response; sent: Headers }> {
  const { fetch = platformFetch, hooks, upstreamStatus, secretHeaders } = options;
  const { method, url, body, init } = call;
  await hooks?.onRequest?.(event);
  // Hooks keep what they see; they never get to see the credentials.
  const sent = await sign(options, call, hooks ? new Headers(event.headers) : event.headers, now);
  signal.throwIfAborted();
  const stream = isStream(body) && { duplex: 'half' as const };
  const request = { ...init, method, headers: sent, body: body ?? null, signal, ...stream };
  const secrets = () => secretHeaders.map((name) => sent.get(name) ?? '');
  const remembered = { method, url, upstreamStatus, secrets };
  let response: Response;
  try {
    response = await fetch(url, request);
  } catch (error) {
    throw networkFailure(remembered, error);
  }
  rememberCall(response, remembered);
  await hooks?.onResponse?.({ ...event, response });
  return { response, sent };
}
