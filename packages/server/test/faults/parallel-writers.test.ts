import { expect, test } from 'vitest';
import { startWhole } from '../break-ins/support/start-whole.ts';
import { post } from '../break-ins/support/storage-client.ts';

const SIZE = 300_000;

test('keeps one complete file of 50 parallel writers, and readers see complete files only', async () => {
  const { dev, disk, lines } = await startWhole();
  const contents = Array.from({ length: 50 }, (_, at) => new Uint8Array(SIZE).fill(at + 1));
  const byETag = new Map<string | null, number>();
  expect((await dev.upload('a.bin', contents[0] as Uint8Array<ArrayBuffer>)).status).toBe(204);
  const link = await dev.link('a.bin');
  let isWriting = true;
  const reading = (async () => {
    const seen: number[] = [];
    while (isWriting) {
      const response = await fetch(link);
      const bytes = new Uint8Array(await response.arrayBuffer());
      const [first = 0, ...others] = new Set(bytes);
      seen.push(bytes.length === SIZE ? 1 + others.length : -1);
      const etag = response.headers.get('etag');
      // All contents differ.
      expect(byETag.get(etag) ?? first).toBe(first);
      byETag.set(etag, first);
    }
    return seen;
  })();
  const grants = await Promise.all(contents.map(() => dev.grant('a.bin')));
  const responses = await Promise.all(
    contents.map((content, at) => post(grants[at] as (typeof grants)[0], 'a.bin', content)),
  );
  isWriting = false;
  expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(204));
  const seen = await reading;
  expect(new Set(seen)).toEqual(new Set([1]));
  const last = new Uint8Array(await (await fetch(link)).arrayBuffer());
  expect([last.length, new Set(last).size]).toEqual([SIZE, 1]);
  // The file, and the one that must not be reachable.
  expect(await disk()).toHaveLength(2);
  expect(lines.filter(({ audit }) => audit)).toHaveLength(51);
});

test('lets one of 50 separate copies without overwriting succeed', async () => {
  const { dev } = await startWhole();
  const names = Array.from({ length: 50 }, (_, at) => `from-${at}.txt`);
  for (const name of names) await dev.upload(name, name);
  const copies = await Promise.all(
    names.map((name) =>
      dev.call('batchCopyFile', {
        fileList: [{ srcPath: `/${name}`, dstPath: '/to.txt', overwrite: false }],
      }),
    ),
  );
  const codes = copies.map(({ data }) => data?.fileList[0]?.code ?? 'done');
  expect(codes.filter((code) => code === 'done')).toHaveLength(1);
  expect(codes.filter((code) => code === 'OBJECT_ALREADY_EXIST')).toHaveLength(49);
  expect(await dev.read('to.txt')).toBe(names[codes.indexOf('done')]);
});
