import module from 'node:module';
import Dredd, { type DreddTransaction } from 'dredd';
import type { Draft, Ending, Start } from './drive.ts';

/*
 * Runs Dredd in a child process, because it writes to the console, keeps global loggers and may hang. Each
 * transaction becomes one message to the parent, with Dredd's draft as JSON; the parent sends the real
 * request and checks the response. Dredd's own comparison, which is both too lenient and too strict, is
 * ignored.
 */

function tell(message: Ending): void {
  // With NODE_COMPILE_CACHE, Node would save the compiled modules at exit, but the parent kills this process.
  module.flushCompileCache?.(); // Node 22.10 or later
  process.send?.(message);
}

/** Dredd reads hooks only from files; this adds one after it has read them. */
function sendDraftsTo(url: string, { transactionRunner }: Dredd): void {
  const { protocol, hostname, port } = new URL(url);
  const execute = transactionRunner.executeAllTransactions.bind(transactionRunner);
  transactionRunner.executeAllTransactions = (transactions, hooks, callback) => {
    hooks.beforeEach((transaction, next) => {
      const body = JSON.stringify(toDraft(transaction));
      const headers = { 'Content-Type': 'application/json' };
      Object.assign(transaction, { protocol, host: hostname, port, fullPath: '/' });
      Object.assign(transaction.request, { method: 'POST', headers, body });
      next();
    });
    execute(transactions, hooks, callback);
  };
}

/** Converts a Dredd transaction to a draft. The summaries in the copy are operationIds. */
function toDraft({ origin, expected, request }: DreddTransaction): Draft {
  const { method, headers, body } = request;
  return {
    title: origin.apiName,
    operationId: origin.actionName,
    copyStatus: expected.statusCode,
    contentType: expected.headers['Content-Type'] ?? '',
    request: { method, headers, body },
  };
}

/** Dredd only logs what it did not understand; here that ends the run. */
function refuseWarnings(dredd: Dredd): void {
  const prepare = dredd.prepareAPIdescriptions.bind(dredd);
  dredd.prepareAPIdescriptions = (callback) =>
    prepare((error, descriptions = []) => {
      const warnings = descriptions.flatMap((d) => d.annotations.map(({ message }) => message));
      if (warnings.length === 0) return callback(error, descriptions);
      tell({ warnings });
    });
}

process.once('disconnect', () => process.exit());

process.once('message', ({ documents, url }: Start) => {
  const dredd = new Dredd({ endpoint: url, apiDescriptions: documents, loglevel: 'silent' });
  sendDraftsTo(url, dredd);
  refuseWarnings(dredd);
  dredd.run((error) => tell(error ? { error: error.message } : {}));
});
