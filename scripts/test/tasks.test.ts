import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyCheckout } from './checkout.ts';
import { listTasks, runTasks } from './turbo.ts';

const ALL = ['generate', 'build', 'lint', 'typecheck', 'test', 'check', 'conformance', 'bench'];
const QUICK = ['generate', 'build', 'lint', 'typecheck'];
const STORAGE_SCHEMA = 'spec/storage.v2/components/schemas/CopyItem.yaml';

let folder: string;
beforeAll(() => {
  folder = copyCheckout();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('with nothing changed', () => {
  it('a second run is all cache hits', () => {
    runTasks(folder, QUICK);
    const states = [...listTasks(folder, QUICK).values()].map(({ taskId, cache }) => [
      taskId,
      cache.status,
    ]);
    expect(states.length).toBeGreaterThan(15);
    expect(states.filter(([, status]) => status !== 'HIT')).toEqual([]);
  });
});

describe('with one storage schema touched', () => {
  it('these tasks run again, and no other', () => {
    const before = listTasks(folder, ALL);
    appendFileSync(join(folder, STORAGE_SCHEMA), '# touched\n');
    const after = listTasks(folder, ALL);
    const changed = [...after.values()].filter(
      ({ taskId, hash }) => before.get(taskId)?.hash !== hash,
    );
    expect(changed.map(({ taskId }) => taskId).sort()).toMatchInlineSnapshot(`
      [
        "@berth/bench#bench",
        "@berth/bench#test",
        "@berth/bench#typecheck",
        "@berth/client#build",
        "@berth/client#generate",
        "@berth/client#test",
        "@berth/client#typecheck",
        "@berth/conformance#build",
        "@berth/conformance#conformance",
        "@berth/conformance#generate",
        "@berth/conformance#test",
        "@berth/conformance#typecheck",
        "@berth/docs#generate",
        "@berth/docs#test",
        "@berth/docs#typecheck",
        "@berth/mock#build",
        "@berth/mock#test",
        "@berth/mock#typecheck",
        "@berth/scripts#test",
        "@berth/spec#check",
        "@berth/spec#generate",
        "@berth/spec#lint",
        "@berth/spec#test",
        "@berth/spec#typecheck",
      ]
    `);
  });
});
