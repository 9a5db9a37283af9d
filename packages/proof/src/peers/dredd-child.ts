import Dredd, { type DreddTransaction } from 'dredd';
import type { Found, Order } from './run-dredd.ts';

/*
 * Runs Dredd as its README describes, in a separate process: with the OpenAPI 3.0 document, the documented
 * successes, and hooks that add the credentials. The result is Dredd's own comparison.
 */

const SERVICE = '/v1/cloudrun/';

/**
 * Makes the fixture service return the documented response, because Dredd compares responses with the
 * example.
 */
function orderExample({ expected }: DreddTransaction): string {
  const type = encodeURIComponent(expected.headers['Content-Type'] ?? '');
  return `/respond?type=${type}&body64=${Buffer.from(expected.body ?? '').toString('base64url')}`;
}

process.once('message', ({ documents, endpoint, headers, gatewayHeaders, service }: Order) => {
  const failed: string[] = [];
  const dredd = new Dredd({
    endpoint,
    apiDescriptions: documents,
    loglevel: 'silent',
    http: { timeout: 10_000 },
  });
  const { transactionRunner } = dredd;
  const execute = transactionRunner.executeAllTransactions.bind(transactionRunner);
  transactionRunner.executeAllTransactions = (transactions, hooks, callback) => {
    hooks.beforeEach((transaction, next) => {
      transaction.skip = !transaction.expected.statusCode.startsWith('2');
      const isGateway = transaction.fullPath.startsWith(SERVICE);
      Object.assign(transaction.request.headers, isGateway ? gatewayHeaders : headers);
      if (isGateway) transaction.fullPath = `/v1/cloudrun/${service}${orderExample(transaction)}`;
      next();
    });
    hooks.afterEach((transaction, next) => {
      // `name` starts with the title of the API, but only if there is more than one.
      const { resourceName, actionName, exampleName } = transaction.origin;
      const name = [resourceName, actionName, exampleName].join(' > ');
      if (transaction.test?.status === 'fail') failed.push(name);
      next();
    });
    execute(transactions, hooks, callback);
  };
  dredd.run((error) => {
    const found: Found = { failed, ...(error ? { error: error.message } : {}) };
    process.send?.(found, () => process.exit());
  });
});
