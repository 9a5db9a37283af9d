import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const FROM_SOURCE = '--conditions=berth-source';
const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

let folder: string;
let address: string;
let mock: ReturnType<typeof spawn>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-readme-'));
  mkdirSync(join(folder, 'node_modules/@berth'), { recursive: true });
  symlinkSync(join(ROOT, 'packages/client'), join(folder, 'node_modules/@berth/client'));
  mock = spawn('node', [FROM_SOURCE, 'packages/mock/src/cli.ts', '--port', '0'], { cwd: ROOT });
  address = await new Promise((resolve, reject) => {
    let output = '';
    mock.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text;
      const [, url] = /^Upload target +(\S+)\/$/m.exec(output) ?? [];
      if (url && /^ready$/m.test(output)) resolve(url);
    });
    mock.on('close', () => reject(new Error(output)));
  });
});
afterAll(() => {
  mock.kill();
  rmSync(folder, { recursive: true });
});

function findExample(language: string, start: string): string {
  const blocks = [...README.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const [, , code] =
    blocks.find(([, name, text]) => name === language && text?.startsWith(start)) ?? [];
  return code?.replaceAll('http://127.0.0.1:4010', address) ?? '';
}

it('the client example runs unchanged against the mock', () => {
  const example = findExample('ts', 'import { bearer');
  writeFileSync(join(folder, 'readme.mts'), `${example}console.log(data, text);\n`);
  const output = execFileSync('node', [FROM_SOURCE, 'readme.mts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(output).toBe("{ message: 'Hello from the hosted service.' } Hello.\n");
});

it('the curl example gets a response from the mock', () => {
  const output = execFileSync('sh', ['-c', findExample('sh', 'curl ')], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect(JSON.parse(output)).toEqual({ message: 'Hello from the hosted service.' });
});
