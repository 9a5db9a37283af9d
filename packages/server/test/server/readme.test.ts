import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { makeFolder } from './support/start-server.ts';

const README = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const YAML = /^```yaml\n(.*?)^```/ms.exec(README)?.[1] as string;
const COMMANDS = /^```sh\n(head .*?)^npx berth-server --config .*?^```/ms.exec(README)?.[1];

test('the configuration of the README is valid after its commands', async () => {
  const cwd = await makeFolder({ 'berth.yaml': YAML });
  const script = `${COMMANDS}\nprintf %s "$CI_SECRET"`;
  const { stdout: CI_SECRET } = await promisify(execFile)('sh', ['-eu', '-c', script], { cwd });
  const config = await loadConfig(join(cwd, 'berth.yaml'), { CI_SECRET });
  expect(config.environments.dev?.credentials).toEqual([{ id: 'ci', secret: CI_SECRET }]);
});
