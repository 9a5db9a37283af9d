import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDevelopmentKeys, readDevelopmentKeys } from './development-keys.ts';

let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'berth-keys-'));
});

afterEach(() => rm(data, { recursive: true }));

it('servers that start at the same time get the same, complete keys', async () => {
  for (let round = 0; round < 200; round += 1) {
    const folder = join(data, String(round));
    const first = openDevelopmentKeys(folder);
    const seen = await Promise.all(Array.from({ length: 8 }, () => waitForKeys(folder)));
    expect([...seen, await openDevelopmentKeys(folder)]).toEqual(Array(9).fill(await first));
    expect(await readdir(folder)).toEqual(['development-keys.json']);
    expect((await stat(join(folder, 'development-keys.json'))).mode & 0o777).toBe(0o600);
  }
});

async function waitForKeys(folder: string) {
  for (;;) {
    const keys = await readDevelopmentKeys(folder);
    if (keys) return keys;
  }
}
