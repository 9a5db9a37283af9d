import { describe, expect, it } from 'vitest';
import { mockForTests, runCli } from './support/run-cli.ts';

const use = mockForTests();

describe('wrong input ends with 2 and names the fix', () => {
  it.each([
    [['cpp'], /unknown command 'cpp'[\s\S]*Did you mean cp/],
    [['cp', 'a'], /Expected a source and a target, got only a\./],
    [
      ['cp', './a', './b'],
      /Neither .\/a nor .\/b is in the storage: write storage paths as remote:\/path/,
    ],
    [['cp', './no-such', 'remote:/x'], /Cannot read \.\/no-such/],
    [['cp', './a', 'remote:x'], /remote:x is not a storage path: write it as remote:\/x\n/],
    [['cp', 'remote:/x/', 'y'], /remote:\/x\/ is a folder, .*: pass the files one by one/],
    [['cp', './a', 'remote:/x', 'remote:/y'], /Cannot mix local and remote sources/],
    [['cp', 'remote:/a/x', 'remote:/b/x', 'y'], /More than one file would be written to y\/x/],
    [['url', 'x.txt'], /x.txt is not a storage path: write it as remote:\/x.txt\n/],
    [['url', 'remote:/x', '--max-age', '0'], /Expected a whole number of seconds, at least 1/],
    [['mv', 'remote:/x', 'remote:/y/'], /remote:\/y\/ is a folder/],
    [['call', 'hello', '-X', 'PUT'], /Allowed choices are GET, POST, HEAD/],
    [
      ['call', 'hello', '-X', 'GET', '-d', 'x'],
      /A GET request has no body: remove -d, or use -X POST/,
    ],
    [['call', 'hello', '-d', '@/no/such'], /Cannot read the request body: ENOENT/],
    [['call', 'hello', '-H', 'x'], /Expected "Name: value"/],
    [['call', 'hello', '-H', 'authorization: a'], /set BERTH_TOKEN/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await runCli(args, use().variables);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  it('reports errors as JSON too', async () => {
    const { code, stdout, stderr } = await runCli(['rm', '--json', 'x'], use().variables);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      error: { message: expect.stringContaining('remote:/x') },
    });
  });
});

describe('settings', () => {
  it.each([
    [{ BERTH_SECRET_KEY: '' }, 'BERTH_SECRET_KEY is missing (secret key of the key pair).'],
    [{ BERTH_STORAGE_URL: 'storage' }, 'BERTH_STORAGE_URL must be a URL such as https://'],
    [{ BERTH_WIRE_PROFILE: '/no/such.json' }, 'Cannot read the wire profile /no/such.json: ENOENT'],
  ])('reports what is wrong with %j', async (settings, message) => {
    const variables = { ...use().variables, ...settings };
    const { code, stderr } = await runCli(['rm', 'remote:/x'], variables);
    expect(code).toBe(2);
    expect(stderr).toContain(`berth: ${message}`);
  });
});

describe('help', () => {
  it.each([['--help'], ['help', 'cp'], ['cp', '--help'], ['--version']])(
    '%s ends with 0',
    async (...args) => {
      const { code, stdout, stderr } = await runCli(args, {});
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(args.includes('--version') ? /contract [\da-f]{12}/ : /Usage: berth/);
    },
  );
});
