import { createRunCaller, type Run } from '../context/run.ts';
import { toEnding } from '../context/skip-reason.ts';
import { listViolated } from '../contract/rules.ts';
import { type Call, type Exchange, toHeaderList, toReceived } from '../http/exchange.ts';
import { matchesMediaType } from '../http/media-type.ts';
import { toReportedCall } from '../http/reported-call.ts';
import { type Result, SkipError } from '../result.ts';
import { codeOf } from '../validation/read-gateway.ts';
import { readReply, type StorageReply } from '../validation/read-storage.ts';
import {
  type DreddTransaction,
  findTransaction,
  prepareCall,
  type Transaction,
  toTransactionResult,
  transactionSkipReason,
} from './transactions.ts';

export type HookName = 'beforeEach' | 'beforeEachValidation' | 'afterEach';

/**
 * Creates the hooks that let Dredd call a deployment: they set its address, path and credentials, provoke the errors
 * that are documented, and check each response with the invariants. Dredd compares the fields of the body.
 *
 * @param onResult called with the result of each documented response that was requested
 * @returns a function that handles a hook by changing the transaction; it never rejects
 */
export function createHooks(run: Run, onResult: (result: Result) => void) {
  let fileId: string | undefined;
  // Dredd runs one transaction at a time.
  let running:
    | { transaction: Transaction; result: Result; call: Call; startedAt: number }
    | undefined;

  async function beforeEach(dredd: DreddTransaction): Promise<void> {
    const transaction = findTransaction(dredd);
    const ending = transaction && transactionSkipReason(run, transaction);
    running = undefined;
    // Without it, Dredd would report success although nothing was checked.
    if (ending?.outcome === 'skip') dredd.fail = ending.reason;
    else dredd.skip = transaction === undefined || ending !== undefined;
    if (transaction === undefined || ending !== undefined) return;
    const call = prepareCall(transaction, dredd.request, run, fileId);
    const result = toTransactionResult(transaction);
    running = { transaction, result, call, startedAt: performance.now() };
    const { protocol, hostname, port } = new URL(call.origin);
    Object.assign(dredd, { protocol, host: hostname, port, fullPath: call.target });
    dredd.request.headers = Object.fromEntries(call.headers);
    dredd.request.body = call.body.toString();
    await run.pace.ready(call.origin, run.signal);
    run.sent.calls += 1;
  }

  async function beforeEachValidation(dredd: DreddTransaction): Promise<void> {
    if (running === undefined) return;
    const { transaction, result, call } = running;
    const exchange = await readExchange(run, call, dredd);
    const reply = readReply(exchange, run.settings.wireProfile.envelope);
    run.secrets.addGrant(reply.data);
    if (typeof reply.data?.fileID === 'string') fileId ??= reply.data.fileID;
    const findings = run.observer.validate(exchange);
    const { status, mediaType } = reply.received;
    if (findings.length === 0 && !isExpected(transaction, reply)) {
      // Credentials that are no longer accepted prove nothing about the documented response.
      if (['200', '404'].includes(transaction.status) && [401, 403].includes(status)) {
        throw new SkipError(`the target rejected the credentials with ${status}`);
      }
      const actual = `${status} ${codeOf(reply.received) ?? reply.code ?? mediaType ?? ''}`;
      const message = `the response must be the one for ${transaction.status}, but it was ${actual.trimEnd()}`;
      findings.push({ message, where: transaction.place });
    }
    result.outcome = findings.length > 0 ? 'fail' : 'pass';
    result.rules = [...new Set(findings.flatMap(listViolated))];
    result.findings = findings.map((finding) => ({ ...finding, ...toReportedCall(exchange) }));
    if (findings.length > 0) dredd.fail = findings.map(({ message }) => message).join('; ');
    // The contract often allows other statuses, and media types with parameters, which Dredd compares literally.
    dredd.expected = { statusCode: String(exchange.received.status), headers: {} };
  }

  async function afterEach(dredd: DreddTransaction): Promise<void> {
    // Dredd does not say why a call failed, so it is made again.
    if (dredd.real === undefined) await beforeEachValidation(dredd);
    if (running === undefined) return;
    const { result, startedAt } = running;
    running = undefined;
    if (result.outcome === 'pass' && dredd.test?.valid === false) {
      result.outcome = 'fail';
      result.findings.push({ message: `Dredd: ${dredd.test.message?.trim()}`, where: result.id });
    }
    onResult({ ...result, durationMs: Math.round(performance.now() - startedAt) });
  }

  const hooks = { beforeEach, beforeEachValidation, afterEach };
  return async (name: HookName, dredd: DreddTransaction): Promise<void> => {
    try {
      await hooks[name](dredd);
    } catch (error) {
      dredd.fail = (error as Error).message;
      if (running) onResult({ ...running.result, ...toEnding(error, run) });
      running = undefined;
    }
  };
}

/** Returns the call that Dredd made, with the response. A call that was rejected with 429 is made again, in time. */
async function readExchange(run: Run, call: Call, { real }: DreddTransaction): Promise<Exchange> {
  const { method, origin, target, headers, body } = call;
  if (real === undefined || real.statusCode === 429) {
    const retryAt = real && run.pace.slowDown(String(real.headers['retry-after'] ?? ''), 0);
    await run.pace.ready(origin, run.signal, retryAt);
    const exchange = await createRunCaller(run).call(call);
    // Dredd compares the status of the last response.
    if (real !== undefined) real.statusCode = exchange.received.status;
    return exchange;
  }
  const bytes = Buffer.from(real.body ?? '', real.bodyEncoding === 'base64' ? 'base64' : 'utf8');
  const exchange = {
    sent: { method, url: origin + target, headers, body },
    received: toReceived(real.statusCode, toHeaderList(real.headers), bytes),
  };
  run.observer.observe(exchange);
  return exchange;
}

/** Whether a response is the one that the call should have provoked. For an invalid call, any rejection counts. */
function isExpected(
  { api, status, contentType = '' }: Transaction,
  { received, refused }: StorageReply,
): boolean {
  if (api === 'storage') return status === '200' ? !refused : refused && received.status < 500;
  if (status === '400') return received.status >= 400 && received.status < 500;
  const isOfType = matchesMediaType(received.header('content-type') ?? '', contentType);
  return isOfType && `${received.status}` === status;
}
