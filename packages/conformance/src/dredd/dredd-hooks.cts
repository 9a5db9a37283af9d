/*
 * Hooks for Dredd 14, which runs this file: `hookfiles: node_modules/@berth/conformance/dist/dredd/dredd-hooks.cjs`.
 * The options are the `BERTH_*` variables of `berth-conformance`.
 */
import type { DreddTransaction } from './hooks.ts';

type Hook<Data> = (data: Data, done: () => void) => void;

interface DreddHooks {
  readonly configuration: { readonly endpoint: string };
  beforeAll(hook: Hook<readonly DreddTransaction[]>): void;
  beforeEach(hook: Hook<DreddTransaction>): void;
  beforeEachValidation(hook: Hook<DreddTransaction>): void;
  afterEach(hook: Hook<DreddTransaction>): void;
  afterAll(hook: Hook<readonly DreddTransaction[]>): void;
}

// biome-ignore lint/correctness/noUndeclaredDependencies: Dredd provides it.
const hooks: DreddHooks = require('hooks');

const session = import('./session.ts').then(({ openSession }) =>
  openSession(process.env, hooks.configuration.endpoint),
);

hooks.beforeAll((transactions, done) => {
  session
    .catch((error: Error) => {
      for (const transaction of transactions) transaction.fail = error.message;
    })
    .then(done);
});

for (const name of ['beforeEach', 'beforeEachValidation', 'afterEach'] as const) {
  hooks[name]((transaction, done) => {
    session
      .then((open) => open[name](transaction).catch((error) => open.onError(transaction, error)))
      .catch(() => {})
      .then(done);
  });
}

hooks.afterAll((_, done) => {
  session
    .then(({ close }) => close())
    .catch(() => {})
    .then(done);
});
