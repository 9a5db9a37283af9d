import { assert, assertEqual, assertFails } from '../assert.ts';
import { storageOf, unique } from '../clients.ts';
import { assertContent, blobOf, LARGE, streamOf } from '../content.ts';
import type { Deployment, PlatformCase } from '../platform-case.ts';

const MIB = 1024 * 1024;

/** Uploads and downloads. */
export const FILES: readonly PlatformCase[] = [
  ...Object.entries({ 'no bytes': 0, 'one byte': 1, 'a large file': LARGE }).map(
    ([content, size]): PlatformCase => ({
      name: `uploads and downloads ${content}, with progress both ways`,
      feature: 'uploads',
      run: (deployment) => assertRoundTrip(deployment, size),
    }),
  ),
  {
    name: 'downloads a part of a file',
    feature: 'uploads',
    async run(deployment) {
      const storage = storageOf(deployment);
      const { fileID } = await storage.upload(unique('part.bin'), blobOf(300_000));
      const range = { offset: 100_000, length: 5_000 };
      const response = await storage.download(fileID, { range });
      await assertContent(response.body, range.length, range.offset);
      assert(response.headers.get('Content-Range'), 'no Content-Range can be read');
      await storage.delete(fileID);
    },
  },
  {
    name: 'uploads a stream of known length and one of unknown length',
    feature: 'uploads',
    async run(deployment) {
      const storage = storageOf(deployment);
      for (const size of [3 * MIB, undefined]) {
        const { fileID } = await storage.upload(unique('stream.bin'), streamOf(3 * MIB), { size });
        await assertContent((await storage.download(fileID)).body, 3 * MIB);
        await storage.delete(fileID);
      }
      const tooLong = storage.upload('long.bin', streamOf(3 * MIB), { maxBytes: 2 * MIB });
      await assertFails(tooLong, { name: 'RangeError' });
    },
  },
  {
    name: 'sends the beginning of a stream before its end is available',
    feature: 'streamedUploads',
    run: (deployment) => assertStreamed(deployment, true),
    without: (deployment) => assertStreamed(deployment, false),
  },
  {
    name: 'uploads a local file, and downloads to one',
    feature: 'files',
    async run(deployment, { disk }) {
      assert(disk, 'the platform has no disk');
      const storage = storageOf(deployment);
      const bytes = new Uint8Array(await blobOf(5 * MIB).arrayBuffer());
      const path = await disk.write('there.bin', bytes);
      const { fileID } = await storage.upload(unique('disk.bin'), { file: path });
      await storage.downloadToFile(fileID, `${path}.back`);
      const back = await disk.read(`${path}.back`);
      await assertContent(new Blob([back as Uint8Array<ArrayBuffer>]).stream(), bytes.length);
      await storage.delete(fileID);
    },
    async without(deployment) {
      const storage = storageOf(deployment);
      const none = { name: 'TypeError', says: 'Local files are only supported' };
      await assertFails(storage.upload('a.bin', { file: '/a.bin' }), none);
      const { fileID } = await storage.upload(unique('disk.bin'), 'a');
      await assertFails(storage.downloadToFile(fileID, '/a.bin'), none);
      await storage.delete(fileID);
    },
  },
];

async function assertRoundTrip(deployment: Deployment, size: number): Promise<void> {
  const storage = storageOf(deployment);
  const [sent, received]: number[][] = [[], []];
  const watch = (into: number[]) => (progress: { loaded: number; total: number | undefined }) => {
    assertEqual(progress.total, size, 'total of the progress');
    into.push(progress.loaded);
  };
  const path = unique(`${size}.bin`);
  const { fileID } = await storage.upload(path, blobOf(size), { onProgress: watch(sent ?? []) });
  const response = await storage.download(fileID, { onProgress: watch(received ?? []) });
  await assertContent(response.body, size);
  await storage.delete(fileID);
  for (const steps of [sent ?? [], received ?? []]) {
    assert(
      steps.every((loaded, index) => loaded > (steps[index - 1] ?? -1)),
      'progress goes back',
    );
    if (size > 0) assertEqual(steps.at(-1), size, 'the last progress');
    if (size === LARGE) assert(steps.length > 2, `progress in ${steps.length} steps only`);
  }
}

/** Whether bytes are sent while the stream waits for that. */
async function assertStreamed(deployment: Deployment, isStreamed: boolean): Promise<void> {
  const storage = storageOf(deployment);
  let isEnding = false;
  let before = 0;
  let end = () => {};
  const begun = new Promise<void>((resolve) => {
    end = resolve;
  });
  const content = blobOf(2 * MIB);
  const data = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new Uint8Array(await content.slice(0, MIB).arrayBuffer()));
      // If nothing were sent before the end, nothing would show it, because the stream ends by itself.
      const timer = isStreamed ? undefined : setTimeout(end, 500);
      await begun;
      clearTimeout(timer);
      isEnding = true;
      controller.enqueue(new Uint8Array(await content.slice(MIB).arrayBuffer()));
      controller.close();
    },
  });
  const onProgress = ({ loaded }: { loaded: number }) => {
    if (loaded > 0 && !isEnding) before = loaded;
    if (loaded > 0) end();
  };
  const { fileID } = await storage.upload(unique('live.bin'), data, { size: 2 * MIB, onProgress });
  assertEqual(before > 0, isStreamed, 'sent before the end of the stream was there');
  await assertContent((await storage.download(fileID)).body, 2 * MIB);
  await storage.delete(fileID);
}
