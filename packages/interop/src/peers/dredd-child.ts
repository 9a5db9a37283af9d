/// <reference path="../../../proof/src/peers/dredd.d.ts" />
import { readFileSync } from 'node:fs';
import Dredd from 'dredd';
import type { DreddOrder, DreddVerdict } from './suites.ts';

/*
 * Runs Dredd as its README describes, in a separate process because it keeps global loggers. A hook skips the
 * documented errors, which Dredd can only get with hooks for the API.
 */
process.once('disconnect', () => process.exit());

process.on('message', ({ file, url }: DreddOrder) => {
  const failed: string[] = [];
  const dredd = new Dredd({
    endpoint: url,
    apiDescriptions: [readFileSync(file, 'utf8')],
    loglevel: 'silent',
    http: { timeout: 10_000 },
  });
  const { transactionRunner } = dredd;
  const execute = transactionRunner.executeAllTransactions.bind(transactionRunner);
  transactionRunner.executeAllTransactions = (transactions, hooks, callback) => {
    hooks.beforeEach((transaction, next) => {
      transaction.skip = !transaction.expected.statusCode.startsWith('2');
      next();
    });
    hooks.afterEach((transaction, next) => {
      if (transaction.test?.status === 'fail') failed.push(transaction.name);
      next();
    });
    execute(transactions, hooks, callback);
  };
  dredd.run((error) => {
    const verdict: DreddVerdict = {
      failed,
      ...(error ? { error: error.message } : {}),
    };
    process.send?.(verdict);
  });
});
