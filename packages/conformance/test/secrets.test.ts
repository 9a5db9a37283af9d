import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, runAgainst } from './support/run.ts';
import { spellings } from './support/spell.ts';
import { startParrot } from './support/start-parrot.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { startSecond } from './targets/start-second.ts';

const SIGNATURE = 'c0ffee0123456789c0ffee';
const SECRETS = {
  token: 'bearer-secret "quoted"+/=<&>',
  other: 'other-environment-token',
  expired: 'expired-environment-token',
  authorization: `1.0 TC3 Signature=${SIGNATURE}`,
  session: 'session-secret',
  key: 'secret-key-of-the-pair',
  temporary: 'temporary-token',
};
const OPTIONS = [
  ...['--gateway-token', SECRETS.token, '--other-env-token', SECRETS.other],
  ...['--expired-token', SECRETS.expired, '--tc3-secret-id', 'the-id'],
  ...['--tc3-secret-key', SECRETS.key, '--tc3-token', SECRETS.temporary],
  ...['--storage-header', `X-Svc-Authorization: ${SECRETS.authorization}`],
  ...['--storage-header', `X-Svc-SessionToken: ${SECRETS.session}`],
];

/** Runs the command line with every report, and returns all that it showed and wrote. */
async function runWithReports(...args: string[]): Promise<string> {
  await using folder = await makeTemporaryFolder();
  const kinds = ['json', 'junit', 'html'];
  const files = kinds.map((kind) => `${kind}=${join(folder.path, kind)}`);
  const { output, code } = await run(...args, '--report', files.join());
  expect(code).toBeLessThan(5);
  const written = kinds.map((kind) => readFile(join(folder.path, kind), 'utf8').catch(() => ''));
  return [output, ...(await Promise.all(written))].join('\n');
}

test('no credential is ever shown, however the target echoes it', async () => {
  await using parrot = await startParrot(Object.values(SECRETS));
  const urls = ['--gateway-url', parrot.url, '--storage-url', parrot.url];
  const only = ['--only', 'GW-ERROR,GW-C,AU-,ST-META,ST-RESPONSE'];
  const shown = await runWithReports(...urls, ...OPTIONS, ...only);
  expect(shown).toContain('[redacted]');
  expect(shown).toContain('curl -i');
  for (const secret of [...Object.values(SECRETS), SIGNATURE]) {
    for (const [name, spell] of Object.entries(spellings)) {
      expect(shown.includes(spell(secret)), `${secret} ${name}`).toBe(false);
    }
  }
});

test('failure reports contain no upload grants and no signatures', async () => {
  await using target = await startSecond();
  await using folder = await makeTemporaryFolder();
  // Its responses are not flat.
  const wireProfile = join(folder.path, 'flat.json');
  await writeFile(wireProfile, '{"envelope":"flat"}');
  const only = ['--only', 'ST-META,ST-LINKS,ST-RESPONSE,UP-FORM,AU-TC3'];
  const shown = await runWithReports(...target.args, ...only, '--wire-profile', wireProfile);
  expect(shown).toContain('fail ');
  for (const name of ['gatewayToken', 'otherEnvToken', 'expiredToken'] as const) {
    expect(shown).not.toContain(target.options[name]);
  }
  expect(shown).not.toContain(target.options.tc3.secretKey);
  expect(shown).not.toMatch(/Signature=[0-9a-f]{16}/);
});

const { session } = SECRETS;

test.each([
  [['--storage-header', session]],
  [['--storage-header', `Bad Name: ${session}`]],
  [['--storage-header', 'X-Svc-SessionToken:', session]],
  [[`--gateway-tokn=${session}`]],
  [[`--gateway-url=http://user:${session}@127.0.0.1`]],
  [[`--timeout=${session}`]],
  [[`--request-form=${session}`]],
  [['--tc3-secret-key', session]],
])('no error about the command line shows it: %j', async (args) => {
  const { code, output } = await runAgainst('http://127.0.0.1:1', ...args);
  expect(code).toBe(2);
  expect(output).not.toContain(session);
});
