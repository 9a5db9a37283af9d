import { recordOf } from '../log/call-record.ts';
import type { Exchange } from './fault-kinds.ts';
import { FAULT_HEADER } from './fault-rules.ts';

/** Applies the faults of the session and of the header, and calls `next` unless one of them has ended the call. */
export async function applyFaults(exchange: Exchange, next: () => void | Promise<void>) {
  const { request, response } = exchange;
  const record = recordOf(request);
  const mayHaveBody = response !== undefined && request.method !== 'HEAD';
  const header = request.headers[FAULT_HEADER.toLowerCase()]?.toString();
  const effects = record.session.faults.selectEffects(record, mayHaveBody, header);
  if (effects.length === 0) return next();
  record.faults = [...new Set(effects.map(({ rule }) => rule.name))];
  const disconnected = new AbortController();
  const { signal } = disconnected;
  (response ?? request.socket).once('close', () => disconnected.abort());
  for (const { kind, value } of effects) {
    await kind.apply(value, { ...exchange, surface: record.surface, signal });
    if (kind.endsCall || signal.aborted) return;
  }
  // During a delay, an invalid or aborted request may have ended the call.
  if (!response?.headersSent) await next();
}
