import type { Transaction } from '../contract/catalog.ts';
import { type Call, type Exchange, toHeaderList, toReceived } from '../http/exchange.ts';
import { codeOf, type StorageReply } from '../http/read-response.ts';
import { type Finding, withEvidence } from '../results/result.ts';
import type { Run } from '../run/run.ts';
import type { DreddTransaction } from './dredd-transaction.ts';

/** Returns the call that Dredd made, with the response. A call that was rejected with 429 is retried after the wait. */
export async function readExchange(
  run: Run,
  call: Call,
  transaction: Transaction,
  { real }: DreddTransaction,
): Promise<Exchange> {
  const maker = { madeBy: transaction.case.id };
  if (real === undefined || real.statusCode === 429) {
    const { origin } = new URL(call.url);
    const retryAt = real && run.pace.slowDown(origin, String(real.headers['retry-after'] ?? ''), 0);
    await run.pace.ready(origin, run.signal, retryAt);
    return run.caller.with({ maker }).call(call);
  }
  const bytes = Buffer.from(real.body ?? '', real.bodyEncoding === 'base64' ? 'base64' : 'utf8');
  const received = toReceived(real.statusCode, toHeaderList(real.headers), bytes);
  const exchange = { sent: { ...call, ...maker }, received };
  run.observer.observe(exchange);
  return exchange;
}

/** Returns a finding if a response is not the one that the call should have provoked. */
export function findUnexpected(transaction: Transaction, reply: StorageReply): Finding[] {
  if (isExpected(transaction, reply)) return [];
  const { status, mediaType } = reply.received;
  const actual = `${status} ${codeOf(reply.received) ?? reply.code ?? mediaType ?? ''}`.trimEnd();
  const message = `the response must be the documented ${transaction.documented.status}, not ${actual}`;
  return [withEvidence({ message, where: transaction.place }, reply)];
}

/** For an invalid call, any rejection is expected. The type of an error is checked with its schema. */
function isExpected(
  { documented: { api, status, contentType } }: Transaction,
  { received, rejected }: StorageReply,
): boolean {
  if (api === 'storage') return status === '200' ? !rejected : rejected && received.status < 500;
  if (status === '400') return received.status >= 400 && received.status < 500;
  const isExpectedType = status !== '200' || received.mediaType === contentType;
  return `${received.status}` === status && isExpectedType;
}
