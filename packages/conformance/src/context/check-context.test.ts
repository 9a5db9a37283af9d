import { expect, test } from 'vitest';
import { toSettings } from '../options.ts';
import { CheckContext } from './check-context.ts';
import { createRun } from './run.ts';

test('the checks of one sentence share no folder and no names, and all are fit for a path', () => {
  const url = 'http://gateway.example';
  const settings = toSettings({ gatewayUrl: url, storageUrl: url, gatewayToken: 'a' });
  const run = createRun(settings, new AbortController().signal);
  const ids = ['ST-COPY-MOVE/2', 'ST-COPY-MOVE/2', 'all responses'];
  const contexts = ids.map((id) => new CheckContext(run, id));
  const names = contexts.flatMap((t) => [t.uniqueName(), t.storage.path('a')]);
  expect(new Set(names).size).toBe(6);
  for (const name of names) expect(name).toMatch(/^[\w/-]+$/);
});
