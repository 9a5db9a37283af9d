import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import packageInfo from '../../package.json' with { type: 'json' };
import { runHere, startConfigured } from './support/cli.ts';
import { startService } from './support/hosted-service.ts';
import { makeFolder, startServer } from './support/start-server.ts';

const KEY = 'k'.repeat(32);
const GOOD = `keys: [{ secret: ${KEY} }]\nenvironments: { dev: {}, qa: {} }\n`;

test.each([
  [['--port', '65536'], 'integer from 0 to 65535'],
  [['--config', 'good.yaml', '--port', '1'], "cannot be used with option '-c, --config <file>'"],
  [['--prot', '1'], 'Did you mean --port?'],
  [['tok'], "unknown command 'tok': the commands are token, fsck, revoke\nSee berth-server --help"],
  [['good.yaml'], "unknown command 'good.yaml': a configuration file follows --config"],
  [['--config', ''], 'It must not be empty'],
  [['token', '--seconds', '-1'], 'integer from 1'],
  [['token', '--port', '1'], "error: unknown option '--port'"],
  [['token', '--config', 'good.yaml'], "error: unknown option '--config'"],
  [['fsck', 'data', '--data', 'data'], "error: unknown option '--data'"],
  [['--config', 'good.yaml', 'token'], "option '-c, --config <file>' is not an option of 'token'"],
  [['--data', 'data', 'fsck', 'data'], "option '--data <folder>' is not an option of 'fsck'"],
  [['--port', '1', 'revoke', 'link'], "option '--port <number>' is not an option of 'revoke'"],
  [['--data', 'data', 'token'], "option '--data <folder>' must follow 'token'"],
  [['-c', 'redis.yaml', 'revoke', 'link'], "option '-c, --config <file>' must follow 'revoke'"],
  [['revoke', 'link', 'a'], "required option '-c, --config <file>' not specified"],
  [['revoke', 'link', '-c', 'redis.yaml'], 'missing required argument'],
  [['--config', 'gone.yaml'], 'gone.yaml: cannot be read: no such file or directory. Check the'],
  [['--config', '.'], '.: cannot be read: illegal operation on a directory. Check the name of the'],
  [['--config', 'bad.yaml'], 'bad.yaml:1:1: kees is not a setting: did you mean keys?'],
  [['--data', 'half'], 'half/development-keys.json does not contain the keys of a development'],
  [['token', '--data', 'other'], 'other/development-keys.json does not contain the keys of a'],
  [['--data', 'other'], 'other/development-keys.json does not contain the keys of a development'],
  [['token'], 'is not the data folder of a development server'],
  [
    ['revoke', 'link', 'a', '-c', 'good.yaml'],
    'good.yaml has no redis.url, so its processes share',
  ],
  [['fsck', 'gone'], 'gone is not the folder of a store: pass store.root.'],
  [['--data', '/proc/berth/a'], 'Cannot create the folder /proc'],
  [['--config', 'proc.yaml'], 'or choose another folder with store.root or --data.'],
  // Its files would all be foreign.
  [['fsck', 'data', '--repair'], 'data is not the folder of a store: pass store.root.'],
])('%j is refused with exit 2', async (args, sentence) => {
  const folder = await makeFolder({
    'bad.yaml': `kees: []\n${GOOD}`,
    'good.yaml': GOOD,
    'proc.yaml': `store: { driver: file, root: /proc/berth/files }\n${GOOD}`,
    'half/development-keys.json': '{',
    'other/development-keys.json': '{}',
    'redis.yaml': `redis: { url: redis://127.0.0.1:9 }\n${GOOD}`,
    'data/files/files/dev/a': '',
  });
  const { code, stdout, stderr } = await runHere(folder, ...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test('an address that cannot be used is reported in one sentence, with exit code 2', async () => {
  const { port } = new URL(await startService(() => {}));
  const used = await runHere(await makeFolder(), '--port', port);
  const foreign = `listen: { host: 192.0.2.1, port: 0 }\nadmin: false\n${GOOD}`;
  const unknown = await runHere(await makeFolder({ 'f.yaml': foreign }), '--config', 'f.yaml');
  const sentence = (start: string) => expect.stringMatching(new RegExp(`^${start}: .*\\.\n$`));
  const inUse = sentence(`Port ${port} is already in use`);
  expect(used).toEqual({ code: 2, stdout: '', stderr: inUse });
  const foreignAddress = sentence('192.0.2.1 is not an address of this machine');
  expect(unknown).toEqual({ code: 2, stdout: '', stderr: foreignAddress });
});

test('--version prints the version, and --help of a command only its own options', async () => {
  const version = await runHere('.', '--version');
  expect(version).toMatchObject({ code: 0, stdout: `${packageInfo.version}\n` });
  const { stdout } = await runHere('.', 'revoke', '--help');
  expect(stdout).toContain('--config');
  expect(stdout).not.toMatch(/--data|--port/);
  vi.stubEnv('npm_lifecycle_event', 'npx');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { stdout: npx } = await runHere('.', 'token', '--help');
  expect(npx).toMatch(/^Usage: npx berth-server token /);
});

test('fsck prints what it finds, or the folder that it cannot read', async () => {
  const folder = await makeFolder({ 'd/files/dev/x': '', 'd/tmp/x': '' });
  const { code, stdout, stderr } = await runHere(folder, 'fsck', 'd');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^foreign: .*\nFiles: 0, bytes: 0, problems: 1\.\n$/);
  expect(stderr).toBe('d has damaged or foreign files: run again with --repair.\n');
  await symlink('loop', join(folder, 'loop'));
  const unreadable = await runHere(folder, 'fsck', 'loop');
  expect(unreadable.code).toBe(2);
  expect(unreadable.stderr).toMatch(/^The disk cannot be used: .* \(ELOOP\)\. Check loop\.\n$/);
});

test('fsck does not repair a store that a server uses', async () => {
  const { config } = await startServer();
  const { root = '' } = config.store as { root?: string };
  const { code, stdout, stderr } = await runHere('.', 'fsck', root, '--repair');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^Process \d+ on \S+ uses the store: stop it\. If it has exited, .*\n$/);
});

test('a log that nobody reads blocks nothing, and dropped lines are reported', async () => {
  const { cli, url, adminUrl } = await startConfigured(
    `listen: { port: 0 }\nadmin: { port: 0 }\nlog: { calls: true }\n${GOOD}`,
  );
  expect(await cli.line('listening')).toMatchObject({ host: '127.0.0.1' });
  cli.child.stdout?.pause();
  for (let at = 0; at < 20; at += 1) {
    const calls = Array.from({ length: 8 }, () => fetch(`${url}/files/${'x'.repeat(14_000)}`));
    await Promise.all(calls.map(async (call) => (await call).text()));
  }
  expect((await fetch(`${adminUrl}/healthz`)).status).toBe(200);
  cli.child.stdout?.resume();
  expect(Number((await cli.line('dropped log lines')).dropped)).toBeGreaterThan(0);
  cli.child.kill('SIGTERM');
  expect(await cli.finish()).toMatchObject({ code: 0, stderr: '' });
  expect(cli.lines.at(-1)?.msg).toBe('stopped');
});
