import type { PreparedRequest } from './request.ts';

/** How much of a body is shown, in characters. */
const SHOWN = 100_000;

/** A response, as far as it has arrived. */
export interface Exchange {
  readonly status?: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  /** Events of a stream, with the milliseconds after which they arrived. */
  readonly events: readonly { readonly at: number; readonly text: string }[];
  readonly milliseconds: number;
  readonly state: 'running' | 'done' | 'failed';
  readonly failure?: string;
}

/**
 * Sends a request.
 *
 * @param show called whenever more of the response has arrived
 * @returns the complete exchange
 */
export async function send(
  { url, init }: PreparedRequest,
  signal: AbortSignal,
  show: (exchange: Exchange) => void,
): Promise<Exchange> {
  const start = performance.now();
  let exchange: Exchange = { headers: [], body: '', events: [], milliseconds: 0, state: 'running' };
  const update = (change: Partial<Exchange>) => {
    exchange = { ...exchange, milliseconds: performance.now() - start, ...change };
    show(exchange);
  };
  update({});
  try {
    const response = await fetch(url, { ...init, signal, cache: 'no-store' });
    update({ status: response.status, headers: [...response.headers] });
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    let rest = '';
    for await (const text of readText(response)) {
      if (exchange.body.length < SHOWN) update({ body: (exchange.body + text).slice(0, SHOWN) });
      if (!isStream) continue;
      const parts = (rest + text).split('\n\n');
      rest = parts.pop() ?? '';
      const at = performance.now() - start;
      update({ events: [...exchange.events, ...parts.map((part) => ({ at, text: part }))] });
    }
    update({ state: 'done' });
  } catch (error) {
    const failure = signal.aborted
      ? 'Stopped.'
      : `No complete response: ${(error as Error).message}`;
    update({ state: 'failed', failure });
  }
  return exchange;
}

async function* readText({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
