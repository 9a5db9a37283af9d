/*
 * Hooks for Dredd 14, which runs this file: `hookfiles: node_modules/@berth/conformance/dist/engines/dredd-hooks.cjs`.
 * The options are the `BERTH_*` variables of `berth-conformance`.
 */

import type { ClientRequest } from 'node:http';
import type { HookName } from './dredd-handler.ts';
import type { DreddTransaction } from './dredd-transaction.ts';

type Hook<Data> = (data: Data, done: () => void) => void;

interface DreddHooks extends Record<HookName, (hook: Hook<DreddTransaction>) => void> {
  readonly configuration: { readonly endpoint: string };
  beforeAll(hook: Hook<readonly DreddTransaction[]>): void;
  afterAll(hook: Hook<readonly DreddTransaction[]>): void;
}

const { subscribe }: typeof import('node:diagnostics_channel') =
  require('node:diagnostics_channel');
// biome-ignore lint/correctness/noUndeclaredDependencies: Dredd provides it.
const hooks: DreddHooks = require('hooks');

interface Session {
  /** How long to wait for a response, in milliseconds. */
  timeoutMs: number;
  handle(name: HookName, transaction: DreddTransaction): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Passes the hooks to the run of the suite that has started this Dredd. */
const parent: Session = {
  timeoutMs: 1000 * Number(process.env.BERTH_TIMEOUT),
  handle: (name, transaction) =>
    new Promise((resolve) => {
      process.once('message', (changed) => resolve(Object.assign(transaction, changed)));
      process.send?.({ name, transaction });
    }),
  close: async () => {},
};

/** Hooks make calls, too: reading their responses here would take the bodies away from the suite. */
let isInHook = true;

/** Ends a response that is too long or too late, because Dredd limits neither. */
function limitResponses(maxBody: number, timeoutMs: number): void {
  // Dredd treats a request error as no response, so the suite makes the call again.
  subscribe('http.client.request.start', (message) => {
    if (isInHook) return;
    const { request } = message as { request: ClientRequest };
    const abort = () => {
      request.emit('error', new Error('the response does not end'));
      request.destroy();
    };
    const timer = setTimeout(abort, timeoutMs);
    request.once('close', () => clearTimeout(timer));
    request.once('response', (response) => {
      let size = 0;
      response.on('data', ({ length }: Buffer) => {
        size += length;
        if (size > maxBody) abort();
      });
    });
  });
}

async function openSession(): Promise<Session> {
  const { MAX_BODY } = await import('../http/exchange.ts');
  const session = process.env.BERTH_DREDD_PARENT ? parent : await openOwnSession();
  limitResponses(MAX_BODY, session.timeoutMs);
  return session;
}

async function openOwnSession(): Promise<Session> {
  const { readOptions } = await import('../read-options.ts');
  const handler = await import('./dredd-handler.ts');
  const { options } = readOptions(process.env);
  return handler.openSession(options, hooks.configuration.endpoint);
}

const session = openSession();

hooks.beforeAll((transactions, done) => {
  session
    .catch((error: Error) => {
      for (const transaction of transactions) transaction.fail = error.message;
    })
    .then(() => leaveHook(done));
});

for (const name of ['beforeEach', 'beforeEachValidation', 'afterEach'] as const) {
  hooks[name]((transaction, done) => {
    isInHook = true;
    session
      .then(({ handle }) => handle(name, transaction))
      .catch(() => {})
      .then(() => leaveHook(done));
  });
}

function leaveHook(done: () => void): void {
  isInHook = false;
  done();
}

hooks.afterAll((_, done) => {
  isInHook = true;
  session
    .then(({ close }) => close())
    .catch(() => {})
    .then(done);
});
