import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import schema from '../../generated/config.schema.gen.json' with { type: 'json' };
import { loadConfig } from '../../src/config/load-config.ts';
import { makeFolder } from './support/start-server.ts';

const README = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const YAML = /^```yaml\n(.*?)^```/ms.exec(README)?.[1] as string;

test('the configuration of the README is valid', async () => {
  const folder = await makeFolder({ 'berth.yaml': YAML, 'link.key': 'k'.repeat(44) });
  const config = await loadConfig(join(folder, 'berth.yaml'), { CI_SECRET: 'from outside' });
  expect(config.environments.dev?.credentials).toEqual([{ id: 'ci', secret: 'from outside' }]);
});

test('the table of the README has each group of settings', () => {
  for (const name of Object.keys(schema.properties)) {
    if (name !== '$schema') expect(README).toMatch(new RegExp(`^\\| \`${name}[.\`]`, 'm'));
  }
});

test('the published schema has the settings that the README shows', () => {
  for (const name of Object.keys(parse(YAML))) expect(schema.properties).toHaveProperty(name);
});
