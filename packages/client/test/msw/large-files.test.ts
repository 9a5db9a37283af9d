import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { berth, storage } from './set-up.ts';

it('keeps every byte of a local file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-msw-'));
  const bytes = Uint8Array.from(
    { length: 3_000_000 },
    (_, index) => (index * 31 + index / 256) % 256,
  );
  await writeFile(join(folder, 'a.bin'), bytes);
  await storage.upload('a.bin', { file: join(folder, 'a.bin') });
  await rm(folder, { recursive: true });
  const stored = berth.files.get('a.bin')?.bytes;
  expect(Buffer.compare(stored ?? new Uint8Array(), bytes)).toBe(0);
});
