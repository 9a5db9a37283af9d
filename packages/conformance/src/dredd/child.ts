import { EventEmitter } from 'node:events';
import Dredd, { type DreddTransaction } from 'dredd';
import type { Drafted } from '../http/exchange.ts';
import type { DreddKey, FromChild, Send, Start } from './drive.ts';

/*
 * Runs Dredd in a process of its own: Dredd writes to the console, keeps global loggers and may hang.
 * The hooks are thin: each asks the parent what to send. What they are told
 * to call is a relay of the parent, which makes the real call and judges its answer.
 */

const tell = (message: FromChild) => process.send?.(message);

/** Names of the transactions that an earlier process has dealt with. */
const done = new Set<string>();

function beforeEach(transaction: DreddTransaction, next: () => void): void {
  if (done.has(transaction.name)) {
    transaction.skip = true;
    next();
    return;
  }
  process.once('message', ({ request }: Send) => {
    if (request === undefined) transaction.skip = true;
    else {
      const { protocol, hostname, port, pathname, search } = new URL(request.url);
      const fullPath = pathname + search;
      Object.assign(transaction, { protocol, host: hostname, port, fullPath });
      Object.assign(transaction.request, { headers: request.headers, body: request.body });
    }
    next();
  });
  const { name } = transaction;
  tell({ kind: 'before', name, key: toKey(transaction), request: toDrafted(transaction) });
}

function beforeEachValidation(transaction: DreddTransaction, next: () => void): void {
  tell({ kind: 'answer', name: transaction.name });
  // Dredd's own comparison is too weak and too strict at once; the parent's judgement stands instead.
  transaction.expected = { statusCode: String(transaction.real?.statusCode), headers: {} };
  next();
}

/** Dredd takes hooks from files only; this adds them where it has read those files. */
function addHooks({ transactionRunner }: Dredd): void {
  const execute = transactionRunner.executeAllTransactions.bind(transactionRunner);
  transactionRunner.executeAllTransactions = (transactions, hooks, callback) => {
    tell({ kind: 'names', names: transactions.map(({ name }) => name) });
    hooks.beforeEach(beforeEach);
    hooks.beforeEachValidation(beforeEachValidation);
    execute(transactions, hooks, callback);
  };
}

/** Dredd logs what it did not understand, and drops it: here that ends the run. */
function refuseWarnings(dredd: Dredd): void {
  const prepare = dredd.prepareAPIdescriptions.bind(dredd);
  dredd.prepareAPIdescriptions = (callback) =>
    prepare((error, descriptions = []) => {
      const messages = descriptions.flatMap((d) => d.annotations.map(({ message }) => message));
      if (messages.length === 0) return callback(error, descriptions);
      tell({ kind: 'warnings', messages });
    });
}

function createEmitter(): EventEmitter {
  return new EventEmitter().on('test error', (error: Error, test: { message: string }) =>
    tell({ kind: 'failed', name: test.message, message: error.message }),
  );
}

process.once('disconnect', () => process.exit());

process.once('message', ({ documents, timeout, skip }: Start) => {
  for (const name of skip) done.add(name);
  const dredd = new Dredd({
    // The parent gives each call its own address.
    endpoint: 'http://localhost',
    apiDescriptions: documents,
    loglevel: 'silent',
    emitter: createEmitter(),
    http: { timeout },
  });
  addHooks(dredd);
  refuseWarnings(dredd);
  dredd.run((error) => tell({ kind: 'end', ...(error ? { error: error.message } : {}) }));
});

/** Dredd's name of a transaction; the copy's summaries are the operationIds. */
function toKey({ origin, expected }: DreddTransaction): DreddKey {
  return {
    title: origin.apiName,
    operationId: origin.actionName,
    copyStatus: expected.statusCode,
    contentType: expected.headers['Content-Type'] ?? '',
  };
}

function toDrafted({ request }: DreddTransaction): Drafted {
  const { method, headers, body } = request;
  return { method, headers, body };
}
