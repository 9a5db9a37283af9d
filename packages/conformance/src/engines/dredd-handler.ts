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

interface Running {
  transaction: Transaction;
  call: Call;
  startedAt: number;
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
  return { handle: createHooks(run, () => {}), close: () => removeLeftovers(run) };
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
 */
export function createHooks(run: Run, onEnd: (result: CheckResult) => void) {
  let fileId: string | undefined;
  // Dredd runs one transaction at a time.
  let running: Running | undefined;

  async function beforeEach(dredd: DreddTransaction): Promise<void> {
    running = undefined;
    const transaction = findTransaction(dredd);
    const blocker = transaction && findBlocker(run, transaction);
    // Without it, Dredd would report success although nothing was checked.
    if (blocker?.outcome === 'skip') dredd.fail = run.secrets.redact(blocker.message);
    else dredd.skip = transaction === undefined || blocker !== undefined;
    if (transaction === undefined || blocker !== undefined) return;
    const call = prepareCall(transaction, dredd.request, run, fileId);
    running = { transaction, call, startedAt: performance.now() };
    const { origin, protocol, hostname, port } = new URL(call.url);
    Object.assign(dredd, { protocol, host: hostname, port, fullPath: toTarget(call.url) });
    dredd.request.headers = Object.fromEntries(call.headers);
    dredd.request.body = call.body.toString();
    await run.pace.ready(origin, run.signal);
    run.calls += 1;
  }

  async function beforeEachValidation(dredd: DreddTransaction): Promise<void> {
    if (running === undefined) return;
    const { call, transaction } = running;
    const exchange = await readExchange(run, call, transaction, dredd);
    const reply = readReply(exchange, run.settings.wireProfile.envelope);
    run.secrets.addGrant(reply.data);
    if (typeof reply.data?.fileID === 'string') fileId ??= reply.data.fileID;
    const findings = [...run.observer.validate(exchange), ...findUnexpected(transaction, reply)];
    running.findings = findings;
    const messages = findings.map(({ message }) => run.secrets.redactMessage(message));
    if (messages.length > 0) dredd.fail = messages.join('; ');
    // The contract often allows other statuses, and media types with parameters, which Dredd compares literally.
    dredd.expected = { statusCode: String(exchange.received.status), headers: {} };
  }

  async function afterEach(dredd: DreddTransaction): Promise<void> {
    // Dredd does not say why a call failed, so it is made again.
    if (dredd.real === undefined) await beforeEachValidation(dredd);
    if (running === undefined) return;
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
  }

  const hooks = { beforeEach, beforeEachValidation, afterEach };
  return async (name: HookName, dredd: DreddTransaction): Promise<void> => {
    try {
      await hooks[name](dredd);
    } catch (error) {
      dredd.fail = run.secrets.redactMessage((error as Error).message);
      const { transaction } = running ?? {};
      running = undefined;
      if (transaction === undefined) return;
      onEnd(decide(run, transaction, [], error));
    }
  };
}
