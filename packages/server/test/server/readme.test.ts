import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { makeFolder } from './support/start-server.ts';

const README = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const YAML = /^```yaml\n(.*?)^```/ms.exec(README)?.[1] as string;
const COMMANDS = /^```sh\n(head .*?)^npx berth-server --config .*?^```/ms.exec(README)?.[1];

const CLI = join(import.meta.dirname, '../../src/cli.ts');
const NPX = `npx() { shift; '${process.execPath}' --conditions=berth-source '${CLI}' "$@"; }`;

test('the configuration of the README is valid after its commands', async () => {
  const cwd = await makeFolder({ 'berth.yaml': YAML });
  const script = `${NPX}\n${COMMANDS}`;
  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', script], { cwd });
  expect(stdout).toBe('berth.yaml is valid. Environments: dev.\n');
  expect((await stat(join(cwd, 'link.key'))).size).toBeGreaterThan(32);
  const config = await loadConfig(join(cwd, 'berth.yaml'), { CI_SECRET: 'c'.repeat(16) });
  expect(config.environments.dev?.credentials).toEqual([{ id: 'ci', secret: 'c'.repeat(16) }]);
});
