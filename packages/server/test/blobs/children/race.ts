import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { BlobExistsError, type BlobStore } from '../../../src/blobs/blob-store.ts';

/** Copies one file to many places when the parent sends the start signal, and reports where it was first. */
export async function race(store: BlobStore, source: string, places: number): Promise<void> {
  writeSync(1, 'ready\n');
  await once(process.stdin, 'data');
  process.stdin.destroy();

  const copies = Array.from({ length: places }, async (_, index) => {
    const to = { env: 'dev', path: `place/${index}` };
    try {
      await store.copy({ env: 'dev', path: source }, to, { overwrite: false });
      return [index];
    } catch (error) {
      if (error instanceof BlobExistsError) return [];
      throw error;
    }
  });
  writeSync(1, `${JSON.stringify((await Promise.all(copies)).flat())}\n`);
}
