import { type Transaction, transactions } from '../contract/catalog.ts';
import { type Call, toTarget } from '../http/exchange.ts';
import { readReply } from '../http/read-response.ts';
import { type ConformanceOptions, toSettings, toVariable } from '../options.ts';
import type { CheckResult, Finding } from '../results/result.ts';
import { findBlocker } from '../run/blocker.ts';
import { decide } from '../run/outcome.ts';
import { prepare, toStartError } from '../run/prepare.ts';
import { removeLeftovers } from '../run/remove-leftovers.ts';
import { Run } from '../run/run.ts';
import { findUnexpected, readExchange } from './dredd-response.ts';
import { type DreddTransaction, findTransaction, prepareCall } from './dredd-transaction.ts';

export type HookName = 'beforeEach' | 'beforeEachValidation' | 'afterEach';

/** What a hook changes of Dredd's transaction. */
type Changes = Partial<DreddTransaction>;

/** The transaction that Dredd runs: one at a time. */
interface Running {
  transaction: Transaction;
  startedAt: number;
  /** Absent until it has been prepared. */
  call?: Call;
  /** Absent until a response has been checked. */
  findings?: Finding[];
}

/**
 * Opens a session for a Dredd process that the suite did not start. The endpoint is the default for both URLs.
 *
 * @throws StartError if the deployment does not respond, or rejects every credential
 */
export async function openSession(options: ConformanceOptions, endpoint: string) {
  const urls = { gatewayUrl: endpoint, storageUrl: endpoint };
  const settings = toSettings({ ...urls, ...options }, toVariable);
  const run = new Run(settings, new AbortController().signal);
  await prepare(run, transactions).catch((error) => {
    throw toStartError(run, error.message);
  });
  return {
    timeoutMs: settings.timeoutMs,
    handle: createHooks(run, () => {}),
    close: () => removeLeftovers(run),
  };
}

/**
 * The hooks for each transaction, in the order in which Dredd calls them:
 *
 * 1. `beforeEach` changes the example request so that it gets the documented response: it sets the address, the
 *    credentials and, for an error, what provokes it. A transaction that cannot run is skipped, or fails with the reason.
 * 2. Dredd makes the call.
 * 3. `beforeEachValidation` checks the response against the OpenAPI 3.1 document and the invariants. It sets `fail`, and
 *    replaces what Dredd expects by what was received, so that Dredd's own comparison, by OpenAPI 3.0, adds nothing.
 * 4. `afterEach` reports the result. If Dredd got no response, it skips step 3, and this hook makes the call itself.
 *
 * They return what they change. An error ends the transaction, and is its result.
 */
export function createHooks(run: Run, onEnd: (result: CheckResult) => void) {
  let fileId: string | undefined;
  let running: Running | undefined;

  async function beforeEach(dredd: DreddTransaction): Promise<Changes> {
    running = undefined;
    const transaction = findTransaction(dredd);
    const blocker = transaction && findBlocker(run, transaction);
    // Without `fail`, Dredd would report success although nothing was checked.
    if (blocker?.outcome === 'skip') return { fail: run.secrets.redact(blocker.message) };
    if (transaction === undefined || blocker !== undefined) return { skip: true };
    running = { transaction, startedAt: performance.now() };
    const call = prepareCall(transaction, dredd.request, run, fileId);
    running.call = call;
    await run.pace.ready(new URL(call.url).origin, run.signal);
    run.calls += 1;
    return toRequest(call, dredd.request);
  }

  async function beforeEachValidation(dredd: DreddTransaction): Promise<Changes> {
    if (running?.call === undefined) return {};
    const { call, transaction } = running;
    const exchange = await readExchange(run, call, transaction, dredd);
    const reply = readReply(exchange, run.settings.wireProfile.envelope);
    run.secrets.addGrant(reply.data);
    if (typeof reply.data?.fileID === 'string') fileId ??= reply.data.fileID;
    running.findings = [...run.observer.validate(exchange), ...findUnexpected(transaction, reply)];
    const messages = running.findings.map(({ message }) => run.secrets.redactMessage(message));
    // The contract often allows other statuses, and media types with parameters, which Dredd compares literally.
    const statusCode = String(dredd.real?.statusCode ?? exchange.received.status);
    const expected = { statusCode, headers: {} };
    return messages.length > 0 ? { expected, fail: messages.join('; ') } : { expected };
  }

  async function afterEach(dredd: DreddTransaction): Promise<Changes> {
    // Dredd does not say why a call failed, so it is made again.
    const changes = dredd.real === undefined ? await beforeEachValidation(dredd) : {};
    if (running === undefined) return changes;
    const { transaction, startedAt, findings = [] } = running;
    running = undefined;
    if (findings.length === 0 && dredd.test?.valid === false) {
      findings.push({
        message: `Dredd: ${dredd.test.message?.trim()}`,
        where: transaction.case.id,
      });
    }
    const durationMs = Math.round(performance.now() - startedAt);
    onEnd({ ...decide(run, transaction, findings), durationMs });
    return changes;
  }

  function endWith(error: Error): Changes {
    if (running) onEnd(decide(run, running.transaction, [], error));
    running = undefined;
    return { fail: run.secrets.redactMessage(error.message) };
  }

  const hooks = { beforeEach, beforeEachValidation, afterEach };
  return async (name: HookName, dredd: DreddTransaction): Promise<void> => {
    Object.assign(dredd, await hooks[name](dredd).catch(endWith));
  };
}

/** Returns the changes with which Dredd makes a call. */
function toRequest(call: Call, request: DreddTransaction['request']): Changes {
  const { protocol, hostname, port } = new URL(call.url);
  const headers = Object.fromEntries(call.headers);
  return {
    skip: false,
    protocol,
    host: hostname,
    port,
    fullPath: toTarget(call.url),
    request: { ...request, headers, body: call.body.toString() },
  };
}
