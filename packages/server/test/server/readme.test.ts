import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { makeFolder } from './support/start-server.ts';

const README = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const YAML = /^```yaml\n(.*?)^```/ms.exec(README)?.[1] as string;

test('the configuration of the README is valid', async () => {
  const folder = await makeFolder({ 'berth.yaml': YAML, 'link.key': 'k'.repeat(44) });
  const config = await loadConfig(join(folder, 'berth.yaml'), { CI_SECRET: 'secret from outside' });
  expect(config.environments.dev?.credentials).toEqual([
    { id: 'ci', secret: 'secret from outside' },
  ]);
});
