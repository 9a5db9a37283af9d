import { createRunCaller, type Run, redactResult } from '../context/run.ts';
import { toEnding } from '../context/skip-reason.ts';
import { toEvidence } from '../context/to-evidence.ts';
import { type Transaction, toContract } from '../contract/operations.ts';
import { findRules } from '../contract/rules.ts';
import { type Call, type Exchange, toHeaderList, toReceived } from '../http/exchange.ts';
import type { Result } from '../result.ts';
import { ResponseValidator } from '../validation/check-response.ts';
import { readReply } from '../validation/read-storage.ts';
import { checkTransaction } from './check-transaction.ts';
import { prepareRequest } from './prepare-request.ts';
import {
  copies,
  isDriven,
  toCopyStatus,
  toTransactionResult,
  transactionSkipReason,
} from './transactions.ts';

/** What hooks read and change of a transaction (https://dredd.org/en/latest/data-structures.html). */
export interface DreddTransaction {
  readonly origin: { readonly apiName: string; readonly actionName: string };
  readonly request: { readonly method: string; headers: Record<string, string>; body: string };
  readonly expected: {
    statusCode: string;
    headers: Record<string, string>;
    body?: string;
    bodySchema?: unknown;
  };
  readonly real?: {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string | string[]>>;
    readonly body: string;
    readonly bodyEncoding?: 'utf-8' | 'base64';
  };
  protocol: string;
  host: string;
  port: string;
  fullPath: string;
  skip: boolean;
  fail?: string;
  readonly test?: { readonly valid?: boolean; readonly message?: string };
}

/** A transaction between the first and the last hook. */
interface Running {
  readonly transaction: Transaction;
  readonly result: Result;
  readonly call?: Call;
  readonly startedAt: number;
}

/**
 * Creates the hooks that let Dredd call a deployment: they set its address, path and credentials, provoke the errors
 * that are documented, and check each response against the OpenAPI 3.1 documents and the rules. Dredd compares the status.
 *
 * @param onResult called with the result of each documented response
 */
export function createHooks(run: Run, onResult: (result: Result) => void) {
  const contract = toContract({ ...run.settings.wireProfile, copyPaths: run.copyPaths });
  const validator = new ResponseValidator(contract);
  const driven = contract.transactions.filter(isDriven);
  const isAccepted = { gateway: run.gatewayScheme !== undefined, storage: false };
  const running = new Map<DreddTransaction, Running>();
  let fileId: string | undefined;

  const report = (result: Result) => onResult(redactResult(run, result));

  /** Checks the response that Dredd got, and adapts what it compares. */
  async function check(dredd: DreddTransaction): Promise<void> {
    const { call, result, transaction } = running.get(dredd) ?? {};
    if (call === undefined || result === undefined || transaction === undefined) return;
    const exchange = await toExchange(run, call, dredd);
    run.observer.observe(exchange);
    const { received } = exchange;
    const { data } = readReply(exchange, run.settings.wireProfile.envelope);
    run.secrets.addGrant(data);
    if (typeof data?.fileID === 'string') fileId ??= data.fileID;
    const { api } = transaction;
    const { outcome, reason, findings } = checkTransaction(transaction, exchange, isAccepted[api], {
      validator,
      observer: run.observer,
    });
    isAccepted[api] ||= received.status < 300;
    Object.assign(result, {
      outcome,
      ...(reason !== undefined && { reason }),
      rules: [...new Set(findings.flatMap(({ where }) => findRules(where)))],
      findings: findings.map((finding) => ({ ...finding, ...toEvidence(exchange) })),
      requests: 1,
      assertions: Math.max(1, findings.length),
    });
    const problem = findings.map(({ message }) => message).join('; ') || reason;
    if (problem) dredd.fail = problem;
    // Any 4xx may reject an invalid call.
    if (transaction.status !== '200') dredd.expected.statusCode = String(received.status);
    // Dredd compares media types too strictly, and an example is not a rule: both were checked above.
    dredd.expected.headers = {};
    delete dredd.expected.body;
    delete dredd.expected.bodySchema;
  }

  return {
    async beforeEach(dredd: DreddTransaction): Promise<void> {
      const transaction = findTransaction(driven, dredd);
      const ending = transaction && transactionSkipReason(run, transaction);
      if (transaction === undefined || ending !== undefined) {
        // Without it, Dredd would report success although nothing was checked.
        if (ending?.outcome === 'skip') dredd.fail = ending.reason;
        else dredd.skip = true;
        if (transaction !== undefined) report({ ...toTransactionResult(transaction), ...ending });
        return;
      }
      const result = toTransactionResult(transaction);
      const entry: Running = { transaction, result, startedAt: performance.now() };
      running.set(dredd, entry);
      const { method, headers, body } = dredd.request;
      const example = { method, headers: toHeaderList(headers), body };
      const call = await prepareRequest(transaction, example, run, fileId);
      running.set(dredd, { ...entry, call });
      const { protocol, hostname, port } = new URL(call.origin);
      Object.assign(dredd, { protocol, host: hostname, port, fullPath: call.target });
      dredd.request.headers = Object.fromEntries(call.headers);
      dredd.request.body = call.body.toString();
    },

    beforeEachValidation: check,

    async afterEach(dredd: DreddTransaction): Promise<void> {
      const { result, startedAt = 0 } = running.get(dredd) ?? {};
      if (result === undefined) return;
      // Dredd does not say why a call failed, so it is made again.
      if (dredd.real === undefined) await check(dredd);
      running.delete(dredd);
      if (result.outcome === 'pass' && dredd.test?.valid === false) {
        result.outcome = 'fail';
        result.findings.push({ message: `Dredd: ${dredd.test.message?.trim()}`, where: result.id });
      }
      report({ ...result, durationMs: Math.round(performance.now() - startedAt) });
    },

    /** Reports a hook that failed, as the result of its transaction. */
    onError(dredd: DreddTransaction, error: unknown): void {
      const { result } = running.get(dredd) ?? {};
      running.delete(dredd);
      dredd.fail = (error as Error).message;
      if (result !== undefined) report({ ...result, ...toEnding(error, run) });
    },
  };
}

function findTransaction(
  driven: readonly Transaction[],
  { origin, expected }: DreddTransaction,
): Transaction | undefined {
  const type = toHeaderList(expected.headers).find(([name]) => /^content-type$/i.test(name))?.[1];
  return driven.find(
    (transaction) =>
      copies[transaction.api].info.title === origin.apiName &&
      // The summaries in the copies are operationIds.
      transaction.operationId === origin.actionName &&
      (transaction.contentType ?? '') === (type ?? '') &&
      toCopyStatus(transaction) === expected.statusCode,
  );
}

/** Returns the call that Dredd made, with the response. A call that was rejected with 429 is made again, in time. */
async function toExchange(run: Run, call: Call, { real }: DreddTransaction): Promise<Exchange> {
  if (real === undefined || real.statusCode === 429) return createRunCaller(run).call(call);
  const { method, origin, target, headers, body } = call;
  const bytes = Buffer.from(real.body, real.bodyEncoding === 'base64' ? 'base64' : 'utf8');
  return {
    sent: { method, url: origin + target, headers, body },
    received: toReceived(real.statusCode, toHeaderList(real.headers), bytes),
  };
}
