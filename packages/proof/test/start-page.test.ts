import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PAGE = new URL('../../../docs/start/conformance.md', import.meta.url);
const toCli = (name: string) => [
  '--conditions=berth-source',
  '--disable-warning=ExperimentalWarning',
  fileURLToPath(new URL(`../../${name}/src/cli.ts`, import.meta.url)),
];

test("the start page's command passes on a mock started by `npx`", async () => {
  const page = await readFile(PAGE, 'utf8');
  const [command = ''] = /^npx @berth\/conformance (?:.*\\\n)*.*$/m.exec(page) ?? [];
  const mock = spawn(process.execPath, [...toCli('mock'), '--port', '0']);
  try {
    let url = '';
    for await (const line of createInterface(mock.stdout)) {
      url ||= /^Gateway\s+(http:\/\/[^/]+)/.exec(line)?.[1] ?? '';
      if (line === 'ready') break;
    }
    const words = command.replaceAll('\\\n', ' ').replaceAll('http://127.0.0.1:4010', url);
    const args = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain,
    );
    const node = [...toCli('conformance'), ...(args.slice(2) as string[])];
    // Rejects with any exit code other than 0.
    const { stdout } = await promisify(execFile)(process.execPath, node);
    expect(stdout).toMatch(/^[1-9]\d* pass, 0 fail, 0 skip/m);
  } finally {
    mock.kill();
    if (mock.exitCode === null && mock.signalCode === null) await once(mock, 'exit');
  }
});
