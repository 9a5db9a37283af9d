import { describe, expect, it } from 'vitest';
import { cliForTests } from './run-cli.ts';

const { berth, session } = cliForTests();

describe('wrong input ends with 2, says the fix and sends nothing', () => {
  it.each([
    [['cpp'], /unknown command 'cpp'[\s\S]*Did you mean cp/],
    [['cp', 'a'], /Expected a source and a target, got only a\./],
    [['cp', './a', './b'], /\.\/a is not a storage path: write it as remote:\/a\n/],
    [['cp', './no-such', 'remote:/x'], /Cannot read \.\/no-such: ENOENT/],
    [['cp', './a', 'cloud://dev.files/x'], /not a storage path: write it as remote:\/path\n/],
    [['cp', 'remote:/x/', 'y'], /remote:\/x\/ is a folder, which .*: name each file/],
    [['cp', 'remote:/x', 'remote:/y'], /remote:\/x is in the storage already: berth mv moves/],
    [['cp', 'remote:/a/x', 'remote:/b/x', 'y'], /More than one file would be written to y\/x/],
    [['url', 'remote:/x', '--max-age', '0'], /Expected an integer of at least 1/],
    [['mv', 'remote:/x', 'remote:/y/'], /remote:\/y\/ is a folder/],
    [['call', 'hello', '-X', 'PUT'], /Allowed choices are GET, POST, HEAD/],
    [['call', 'hello', '-X', 'GET', '-d', 'x'], /A GET request has no body: remove -d, or use -X/],
    [['call', 'hello', '-d', '@/no/such'], /Cannot read the request body: ENOENT/],
    [['call', 'hello', '-H', 'x'], /Expected "Name: value"/],
    [['call', 'hello', '-H', 'authorization: a'], /set BERTH_GATEWAY_TOKEN/],
    [['call', 'hello', 'a/../b'], /must not contain the segment "\.\."/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await berth(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(session().requests()).toEqual([]);
  });

  it('as JSON, too', async () => {
    const { code, stdout, stderr } = await berth(['rm', '--json', 'x']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    const message = expect.stringContaining('remote:/x');
    expect(JSON.parse(stdout)).toEqual({ error: { message } });
  });
});

describe('a wrong setting ends with 2 and is named', () => {
  const NONE = { BERTH_TC3_SECRET_ID: '', BERTH_TC3_SECRET_KEY: '' };
  it.each([
    ['rm', { BERTH_TC3_SECRET_KEY: '' }, 'BERTH_TC3_SECRET_KEY is missing (secret key'],
    ['rm', { BERTH_STORAGE_URL: 'storage' }, 'BERTH_STORAGE_URL must be a URL such as https://'],
    ['rm', { BERTH_WIRE_PROFILE: '/no/such.json' }, 'BERTH_WIRE_PROFILE: ENOENT'],
    ['call', NONE, 'No credentials for the gateway: set BERTH_GATEWAY_TOKEN, or'],
  ])('%s with %j', async (command, env, message) => {
    const { code, stderr } = await berth([command, 'remote:/x'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain(`berth: ${message}`);
  });
});

it.each([['--help'], ['help', 'cp'], ['cp', '--help'], ['--version']])(
  '%s %s prints to stdout and ends with 0',
  async (...args) => {
    const { code, stdout, stderr } = await berth(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(args.includes('--version') ? /contract [\da-f]{12}/ : /Usage: berth/);
  },
);
