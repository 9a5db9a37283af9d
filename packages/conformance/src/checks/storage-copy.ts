import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { show } from '../validation/cite.ts';
import {
  type CopyOrder,
  copy,
  describeReading,
  expectAccepted,
  expectAt,
  expectBytes,
  expectListsRefused,
  expectNothing,
  hasBytes,
  hasFailed,
  needsFiles,
  readPath,
  storeCopyable,
  storeReadable,
  toCopyItems,
} from './support/storage.ts';

/** Expects a copy call to be rejected if an item lacks a field, whatever the item's position. */
async function expectRefusedWithout(t: CheckContext, field: 'srcPath' | 'dstPath'): Promise<void> {
  const { path } = await t.upload.store('source.txt');
  const toItem = (name: string) => toCopyItems(t, [{ from: path, to: t.storage.path(name) }])[0];
  const sound = await t.storage.call('batchCopyFile', { fileList: [toItem('sound.txt')] });
  t.reach(!sound.refused, 'a copy call with `from` and `to` is rejected');
  const bad = { ...toItem('never.txt'), [field]: undefined };
  await expectListsRefused(t, 'batchCopyFile', {
    [`an item without ${field}`]: [bad],
    [`an item without ${field} but with options`]: [{ ...bad, overwrite: true }],
    [`a valid item followed by one without ${field}`]: [toItem('a.txt'), bad],
    [`an item without ${field} followed by a valid one`]: [bad, toItem('b.txt')],
  });
}

const CONTENTS = [
  { name: 'text.txt', bytes: Buffer.from('A file to copy.\n') },
  { name: 'empty.bin', bytes: Buffer.alloc(0) },
  // Just over a usual size of buffers: 1 MiB.
  {
    name: 'level/bytes.bin',
    bytes: Buffer.alloc(1_048_577, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))),
  },
];

/** Expects copies and a move to overwrite existing destinations, both shorter and longer ones. */
async function expectOverwritten(
  t: CheckContext,
  how: string,
  options: { overwrite?: boolean },
): Promise<void> {
  const source = await storeCopyable(t, 'source.txt');
  const shorter = await storeReadable(t, 'shorter.txt', 'old');
  const longer = await storeReadable(t, 'longer.txt', 'old '.repeat(100));
  const moved = await storeReadable(t, 'moved.txt', 'old');
  const from = source.path;
  const both = [shorter, longer].map(({ path: to }) => ({ from, to, ...options }));
  const calls = [
    { what: 'two copies', orders: both },
    { what: 'a move', orders: [{ from, to: moved.path, removeOriginal: true, ...options }] },
  ];
  for (const { what, orders } of calls) {
    await copy(t, ...orders);
    for (const { to } of orders) {
      const name = to.slice(to.lastIndexOf('/') + 1);
      await expectAt(t, to, source.bytes, `${what} ${how} onto ${name}: the destination`);
    }
  }
}

/**
 * Copies files, whatever the response: the deployment may reject items, and also such a call. Returns whether an
 * item succeeded.
 */
async function copyAnyhow(t: CheckContext, ...orders: CopyOrder[]): Promise<boolean> {
  const fileList = toCopyItems(t, orders);
  const reply = await t.storage.call('batchCopyFile', { fileList }, { acceptsRefusal: true });
  return !reply.refused && reply.entries?.some((entry) => !hasFailed(entry)) === true;
}

/**
 * Expects what is stored at these paths to be one of these contents, and at least one path to have a file: the
 * contract does not define the order of the items in a call.
 *
 * @returns the paths with a file
 */
async function expectKept(
  t: CheckContext,
  what: string,
  paths: readonly string[],
  contents: readonly Buffer[],
): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const reading = await readPath(t, path);
    if (!reading.found) continue;
    found.push(path);
    const isWhole = contents.some((bytes) => hasBytes(reading, bytes));
    const came = `but a read returned ${describeReading(reading)}`;
    const message = `${what}: ${path} must have the content of one of the files, ${came}`;
    t.expect(isWhole, message, reading.exchange);
  }
  const lost = `${what}: the content of one of them must be kept, but no file was found`;
  t.expect(found.length > 0, lost);
  return found;
}

export const storageCopy: readonly Check[] = [
  defineCheck('ST-COPY-CALL', needsFiles, async (t: CheckContext) => {
    const files = [];
    for (const { name, bytes } of CONTENTS) {
      files.push({ name, ...(await storeReadable(t, name, bytes)) });
    }
    const alone = { name: 'alone.txt', ...(await storeReadable(t, 'alone.txt')) };
    // The fourth and the fifth item of a list.
    const more = ['fourth.txt', 'level/fifth.txt'].map((name) => ({ ...alone, name }));
    for (const sources of [[alone], [...files, ...more]]) {
      const what = `batchCopyFile of ${sources.length} files`;
      const orders = sources.map(({ name, path }) => ({
        from: path,
        to: t.storage.path(`to-${sources.length}/${name}`),
      }));
      const fileList = toCopyItems(t, orders);
      const reply = await t.storage.call('batchCopyFile', { fileList });
      if (!expectAccepted(t, reply, what)) continue;
      for (const source of sources) {
        const { name, bytes } = source;
        const reading = await readPath(t, t.storage.path(`to-${sources.length}/${name}`));
        expectBytes(t, reading, bytes, `${what}: the copy of ${name}`);
      }
    }
  }),
  defineCheck('ST-INVALID/5', needsFiles, (t) => expectRefusedWithout(t, 'srcPath')),
  defineCheck('ST-INVALID/6', needsFiles, (t) => expectRefusedWithout(t, 'dstPath')),
  defineCheck('ST-COPY-OVERWRITE/1', needsFiles, (t) =>
    expectOverwritten(t, 'without overwrite', {}),
  ),
  defineCheck('ST-COPY-OVERWRITE/2', needsFiles, (t) =>
    expectOverwritten(t, 'with overwrite true', { overwrite: true }),
  ),
  defineCheck('ST-COPY-OVERWRITE/3', needsFiles, async (t) => {
    const source = await storeCopyable(t, 'source.txt');
    const existing = await storeReadable(t, 'existing.txt', 'old');
    const [from, to] = [source.path, existing.path];
    const free = t.storage.path('level/free.txt');
    await copy(t, { from, to: free, overwrite: false });
    const place = 'a file copied to a new destination with overwrite false';
    await expectAt(t, free, source.bytes, place);
    const second = t.storage.path('second.txt');
    const third = t.storage.path('third.txt');
    await copy(t, { from, to: second }, { from, to: third }, { from, to, overwrite: false });
    const beside = 'the existing destination of a third item with overwrite false';
    await expectAt(t, to, existing.bytes, beside);
    const cases = {
      'a copy': {},
      'a copy with removeOriginal false': { removeOriginal: false },
      'a move': { removeOriginal: true },
    };
    for (const [how, more] of Object.entries(cases)) {
      const [entry = {}] = await copy(t, { from, to, overwrite: false, ...more });
      const what = `${how} with overwrite false onto an existing destination`;
      t.expect(hasFailed(entry), `${what}: the item must fail, but its entry was ${show(entry)}`);
      await expectAt(t, to, existing.bytes, `the destination of ${what}`);
    }
  }),
  defineCheck('ST-COPY-MOVE/1', needsFiles, async (t) => {
    const cases = {
      'without removeOriginal': {},
      'with removeOriginal false': { removeOriginal: false },
      'with only overwrite true': { overwrite: true },
    };
    for (const [what, more] of Object.entries(cases)) {
      const { path, bytes } = await storeReadable(t, `${what.replaceAll(' ', '-')}.txt`);
      await copy(t, { from: path, to: `${path}.copy`, ...more });
      await expectAt(t, path, bytes, `the source of a copy ${what}`);
    }
    const moved = await storeReadable(t, 'moved.txt');
    const { path, bytes } = await storeReadable(t, 'kept.txt');
    const move = { from: moved.path, to: `${moved.path}.to`, removeOriginal: true };
    await copy(t, move, { from: path, to: `${path}.copy` });
    await expectAt(t, path, bytes, 'the source of a copy in the same call as a move');
  }),
  defineCheck('ST-COPY-MOVE/2', needsFiles, async (t) => {
    const kept = await storeCopyable(t, 'kept.txt');
    const existing = await storeReadable(t, 'existing.txt', 'old');
    // Just over a usual size of buffers: 64 KiB.
    const single = await storeReadable(t, 'single.txt', Buffer.alloc(65_537, 'single '));
    const onto = await storeReadable(t, 'onto.txt');
    const third = await storeReadable(t, 'third.txt');
    const move = (from: string, to: string) => ({ from, to, removeOriginal: true });
    const others = ['copy', 'other'].map((end) => ({ from: kept.path, to: `${kept.path}.${end}` }));
    const cases = [
      { what: 'to a new destination', file: single, to: `${single.path}.moved`, before: [] },
      { what: 'onto an existing destination', file: onto, to: existing.path, before: [] },
      { what: 'in the third item', file: third, to: `${third.path}.moved`, before: others },
    ];
    for (const { what, file, to, before } of cases) {
      await copy(t, ...before, move(file.path, to));
      const reading = await readPath(t, to);
      // Other rules cover whether an existing destination is overwritten, and a third item copied.
      if (file !== single && !hasBytes(reading, file.bytes)) continue;
      expectBytes(t, reading, file.bytes, `the destination of a move ${what}`);
      expectNothing(t, await readPath(t, file.path), `the source of a move ${what}`);
    }
  }),
  defineCheck('ST-COPY-MOVE-FAILED', needsFiles, async (t: CheckContext) => {
    const existing = await storeReadable(t, 'existing.txt', 'old');
    const other = await storeReadable(t, 'other.txt');
    const { path, bytes } = await storeReadable(t, 'itself.txt');
    const [same] = await copy(t, { from: path, to: path, removeOriginal: true });
    if (same && hasFailed(same)) {
      await expectAt(t, path, bytes, 'a file after a failed move onto itself');
    }
    const failing: Record<string, Omit<CopyOrder, 'from'>> = {
      'a move onto an existing file with overwrite false': { to: existing.path, overwrite: false },
      'a move to a path with an invalid character': { to: t.storage.path('not@allowed.txt') },
    };
    let checked = 0;
    for (const [what, order] of Object.entries(failing)) {
      for (const beside of [[], [{ from: other.path, to: `${other.path}.copy` }]]) {
        const source = await storeReadable(t, `source-${checked}.txt`);
        const move = { from: source.path, ...order, removeOriginal: true };
        const entries = await copy(t, ...beside, move);
        // Another rule covers that such an item fails.
        if (!entries.some(hasFailed)) continue;
        checked += 1;
        await expectAt(t, source.path, source.bytes, `the source of ${what}`);
      }
    }
    t.reach(checked > 0, 'all the moves that should have failed succeeded');
  }),
  defineCheck('ST-COPY-SELF', needsFiles, async (t: CheckContext) => {
    const a = await t.upload.store('a.txt', 'the first of two files');
    const b = await t.upload.store('b.txt', 'the second of two files, which is longer');
    const both = [a.bytes, b.bytes];
    const move = (from: string, to: string) => ({ from, to, removeOriginal: true });
    for (const overwrite of [true, false]) {
      await copyAnyhow(t, { from: a.path, to: a.path, overwrite });
      await copyAnyhow(t, { ...move(b.path, b.path), overwrite });
    }
    await expectKept(t, 'a file that was copied onto itself', [a.path], [a.bytes]);
    await expectKept(t, 'a file that was moved onto itself', [b.path], [b.bytes]);
    const to = t.storage.path('shared.txt');
    const isShared = await copyAnyhow(t, { from: a.path, to }, { from: b.path, to });
    if (isShared) await expectKept(t, 'the destination of two copies in a call', [to], both);
    const two = [a.path, b.path];
    await copyAnyhow(t, { from: a.path, to: b.path }, { from: b.path, to: a.path });
    await expectKept(t, 'two files that were copied onto each other', two, both);
    await copyAnyhow(t, move(a.path, b.path), move(b.path, a.path));
    const what = 'two files that were moved onto each other';
    const [at = a.path] = await expectKept(t, what, two, both);
    const other = at === a.path ? b.path : a.path;
    const last = t.storage.path('last.txt');
    await copyAnyhow(t, move(at, other), move(other, last));
    const moved = 'a file that was moved twice in a call';
    const [end = last] = await expectKept(t, moved, [...two, last], both);
    const ends = [`${last}.1`, `${last}.2`];
    await copyAnyhow(t, ...ends.map((path) => move(end, path)));
    const all = [...two, last, ...ends];
    await expectKept(t, 'a file that two items of a call moved', all, both);
  }),
];
