import { expect, test, vi } from 'vitest';
import type { ConformanceOptions } from '../src/index.ts';
import { COPY, DELETE, LINKS, list, toStorageRefusal } from './mutants/hooks/storage.ts';
import { keyOf, readForm, uploadRequest } from './mutants/hooks/uploads.ts';
import type { MutatedRequest } from './proxy/messages.ts';
import { drop } from './proxy/take-over.ts';
import { runSuite, runWithoutLeaks } from './run-suite.ts';
import { startMutated } from './targets/start-mutated.ts';
import { startFronted, startSecond } from './targets/start-second.ts';

test.each([
  ['that is interrupted halfway', true, /the run was interrupted/],
  ['whose budget is used up', false, /the time budget of 777 s is used up/],
])('a run %s skips the remaining checks, and removes everything it stored', async (...row) => {
  const [, isInterrupted, reason] = row;
  await using target = await startSecond();
  const ends = new AbortController();
  const { calls } = vi.spyOn(globalThis, 'setTimeout').mock;
  const useUpBudget = () => calls.find(([, milliseconds]) => milliseconds === 777_000)?.[0]();
  let stored = 0;
  // Not after some time, in which a busy machine may store nothing.
  const onCheck: ConformanceOptions['onCheck'] = ({ caseId, outcome }) => {
    if (outcome === 'pass' && /^(UP|ST-DELETE|ST-COPY)-/.test(caseId)) stored += 1;
    if (stored === 10) (isInterrupted ? () => ends.abort() : useUpBudget)();
  };
  const only = ['UP-', 'ST-DELETE', 'ST-COPY', 'ST-LINKS-EXPIRE'];
  const more = { budget: 777, signal: ends.signal, onCheck, only };
  const ran = await runWithoutLeaks({ ...target.options, ...more });
  expect(ran).toMatchObject({ fail: [], error: [], leftovers: [] });
  expect(ran.exitCode).toBeGreaterThan(1);
  expect(ran.skip.at(-1)).toMatch(reason);
  // The others are disabled.
  expect(ran.skip.filter((reason) => !only.some((id) => reason.startsWith(id)))).toEqual([]);
  expect(target.countWrites()).toBeGreaterThan(0);
  expect(target.listFiles()).toEqual([]);
  vi.restoreAllMocks();
});

const DELETION = 'storage batchDelete 200 application/json';

test('a run that is interrupted before it starts sends nothing', async () => {
  await using target = await startFronted();
  const ended: string[] = [];
  const onCheck: ConformanceOptions['onCheck'] = ({ caseId }) => ended.push(caseId);
  const ran = await runWithoutLeaks({ ...target.options, signal: AbortSignal.abort(), onCheck });
  expect(ran.pass).toEqual([]);
  expect(ended).toEqual(expect.arrayContaining(['GW-C1', DELETION, 'copy-file']));
  expect(target.gateway.count() + target.storage.count()).toBe(0);
});

const isCopyTo = (name: string) => (call: MutatedRequest) =>
  call.operation === COPY && call.body.includes(name);

test.each<[last: string, only: string, isLast: (call: MutatedRequest) => boolean]>([
  ['the first handshake', 'GW-WS-CLOSE', ({ isHandshake }) => isHandshake],
  ['a copy, which changes the ID of a file', 'ST-COPY-OVERWRITE/1', isCopyTo('shorter')],
  ['a copy of a workflow', 'copy-without-overwriting', isCopyTo('destination')],
])('a run that is interrupted in %s reports just that, and removes its files', async (...row) => {
  const [, id, isLast] = row;
  const ends = new AbortController();
  await using target = await startFronted({
    response: (_, call) => (isLast(call) ? ends.abort() : undefined),
  });
  const ran = await runWithoutLeaks({ ...target.options, only: [id], signal: ends.signal });
  const skip = [expect.stringMatching(/: the run was interrupted$/)];
  expect(ran).toMatchObject({ skip, notices: [], leftovers: [] });
  expect(target.listFiles()).toEqual([]);
});

test('--read-only stores, changes and deletes no file', async () => {
  await using target = await startSecond();
  const only = ['GW-STATUS', 'AU-STORAGE', 'ST-', 'UP-', 'dredd'];
  // Only a part of it was checked, so that the entry is not outdated.
  const more = { readOnly: true, only, known: [{ id: 'ST-RESPONSE' }] };
  const ran = await runWithoutLeaks({ ...target.options, ...more });
  expect(ran).toMatchObject({ exitCode: 0, fail: [], error: [] });
  expect(ran.disabled).toContainEqual(expect.stringMatching(/^ST-COPY-MOVE/));
  expect(ran.pass).toEqual(expect.arrayContaining(['GW-STATUS', 'ST-RESPONSE', DELETION]));
  expect(target.countWrites()).toBe(0);
});

test('if a server deletes nothing, a notice lists the remaining files', async () => {
  await using target = await startFronted({
    request: ({ operation }) =>
      operation === 'batchDelete' ? toStorageRefusal(500, 'SYS_ERR') : undefined,
  });
  const ran = await runWithoutLeaks({ ...target.options, only: ['UP-RESPONSE', 'ST-DELETE-CALL'] });
  expect(ran.exitCode).toBe(1);
  expect(ran.fail).toContainEqual(expect.stringMatching(/^ST-DELETE-CALL: /));
  expect(target.listFiles().length).toBeGreaterThan(0);
  expect(ran.leftovers.toSorted()).toEqual(target.listFiles().toSorted());
  expect(ran.notices.at(-1)).toMatch(
    /^files may still exist in berth-conformance\/\w+; the report lists \d+$/,
  );
});

test('files whose upload was never accepted do not count as remaining', async () => {
  await using target = await startMutated();
  const request = ({ operation, isUpload }: MutatedRequest) =>
    isUpload || [DELETE, LINKS].includes(operation ?? '')
      ? toStorageRefusal(500, 'SYS_ERR')
      : undefined;
  target.use({ create: () => ({ request }) });
  const ran = await runSuite({ ...target.options, only: ['UP-FILE-ID', 'upload-file'] });
  expect(ran).toMatchObject({ exitCode: 1, leftovers: [], notices: [] });
});

test('files that a violation may have made are looked for at the end', async () => {
  const granted: string[] = [];
  await using target = await startFronted({
    request({ operation, json, body }) {
      if (operation === 'getUploadMetaData') granted.push((json.data ?? json).path);
      return operation === COPY && body.includes('a~b') ? drop : undefined;
    },
  });
  await runWithoutLeaks({ ...target.options, only: ['ST-COPY-PATH/3', 'ST-REQUEST/2'] });
  expect(granted).toContainEqual(expect.stringMatching(/a~b\.txt$/));
  expect(granted).toContainEqual(expect.stringMatching(/sample\.txt\.copy$/));
  expect(granted).toContainEqual(expect.stringMatching(/sample\.txt\.copy\.true\.false$/));

  await using mutated = await startMutated();
  const keys = new Set<string>();
  const { read } = mutated.use({
    create: ({ store }) =>
      uploadRequest(async (request) => {
        const form = readForm(request);
        if (!form.get('key')?.length) return;
        keys.add(keyOf(form));
        await store(keyOf(form), form.get('file'));
      }),
  });
  await runSuite({ ...mutated.options, only: ['UP-FIELDS/4'] });
  expect(keys.size).toBeGreaterThan(1);
  for (const key of keys) expect(await read(key)).toBeUndefined();
});

test('a run that ends while a mismatch is shortened reports it nevertheless', async () => {
  const ends = new AbortController();
  let isFaulty = false;
  const denyDeletion = list(DELETE, (entries) => {
    isFaulty ||= entries.some(({ code }) => code === 'SUCCESS');
    for (const entry of entries) entry.code = 'NOT_DELETED';
  });
  const request = () => {
    if (isFaulty) ends.abort();
  };
  await using target = await startFronted({ ...denyDeletion, request });
  const more = { only: ['ST-SEQUENCE'], signal: ends.signal };
  const ran = await runSuite({ ...target.options, ...more });
  expect(ran).toMatchObject({ exitCode: 1, skip: [] });
  expect(ran.fail).toEqual([expect.stringMatching(/^ST-SEQUENCE: .* must be SUCCESS, .* after /)]);
});

// The first sequence of this seed has no steps.
test.each([5, 1])('the same seed makes the same sequences: %d', async (sequences) => {
  await using target = await startFronted();
  const options = { ...target.options, only: ['ST-SEQUENCE'], sequences, seed: 3 };
  expect(await runWithoutLeaks(options)).toMatchObject({ exitCode: 0, pass: ['ST-SEQUENCE'] });
  const count = target.storage.count();
  expect(count).toBeGreaterThan(4 * sequences);
  await runWithoutLeaks(options);
  expect(target.storage.count()).toBe(2 * count);
});
