import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, runAgainst } from './support/run.ts';
import { startSoundServer } from './support/sound-server.ts';

const SIGNATURE = 'c0ffee0123456789c0ffee';
const SECRETS = ['bearer-secret "quoted"', `1.0 TC3 Signature=${SIGNATURE}`, 'session-secret'];
const [token = '', signature = '', session = ''] = SECRETS;
const OPTIONS = [
  ...['--gateway-token', token],
  ...['--storage-header', `X-Svc-Authorization: ${signature}`],
  ...['--storage-header', `X-Svc-SessionToken: ${session}`],
];

test('no credential is ever shown, also where the target sends it back', async () => {
  await using server = await startSoundServer((draft) => ({
    ...draft,
    body: JSON.stringify({ echo: SECRETS, piece: SIGNATURE, url: encodeURIComponent(token) }),
  }));
  const file = join(await mkdtemp(join(tmpdir(), 'berth-')), 'report.json');
  const { code, output } = await runAgainst(server.url, ...OPTIONS, '--report', `json=${file}`);
  expect(code).toBe(1);
  const [call] = server.requests.filter(({ url }) => url.startsWith('/v1/'));
  expect(call?.headers.authorization).toBe(`Bearer ${token}`);
  const shown = output + (await readFile(file, 'utf8'));
  expect(shown).toContain('[redacted]');
  for (const secret of ['bearer-secret', SIGNATURE, session]) expect(shown).not.toContain(secret);
});

test('no upload grant of the target is shown', async () => {
  await using server = await startSoundServer((draft) => ({
    ...draft,
    body: draft.body
      .replace('"token":"t"', '"token":"grant-token"')
      .replace('"authorization":"a"', '"authorization":"grant-signature"'),
  }));
  const file = join(await mkdtemp(join(tmpdir(), 'berth-')), 'report.json');
  expect(await runAgainst(server.url, '--report', `json=${file}`)).toMatchObject({ code: 0 });
  const report = await readFile(file, 'utf8');
  expect(report).toContain('[redacted]');
  expect(report).not.toMatch(/grant-(token|signature)/);
});

test.each([
  [['--storage-header', session]],
  [['--storage-header', `Bad Name: ${session}`]],
  [['--storage-header', 'X-Svc-SessionToken:', session]],
  [[`--gateway-tokn=${session}`]],
  [[`--gateway-url=http://user:${session}@127.0.0.1`]],
])('no bad command line shows it: %j', async (args) => {
  const urls = ['--gateway-url', 'http://127.0.0.1:1', '--storage-url', 'http://127.0.0.1:1'];
  const { code, output } = await run(...urls, ...args);
  expect(code).toBe(2);
  expect(output).not.toContain(session);
});
