import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mockForTests, newFolder, runCli, SECRET } from './support/run-cli.ts';

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
    [['rm', 'remote:/x', '-c', '/no/such'], /Cannot read the settings: ENOENT/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await runCli(args, use().variables);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  it('reports what is missing and where to set it', async () => {
    const { BERTH_SECRET_KEY: _, ...variables } = use().variables;
    expect(await runCli(['rm', 'remote:/x'], variables)).toMatchObject({
      code: 2,
      stderr:
        'berth: secretKey is missing (secret key of the key pair): set BERTH_SECRET_KEY, or secretKey in /nonexistent/.config/berth/config.yaml.\n',
    });
  });

  it('reports errors as JSON too', async () => {
    const { code, stdout, stderr } = await runCli(['rm', '--json', 'x'], use().variables);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      error: { message: expect.stringContaining('remote:/x') },
    });
  });
});

describe('settings from a file', () => {
  async function run(content: string, { mode = 0o600, args = ['rm', 'remote:/missing'] } = {}) {
    const file = join(await newFolder(), 'config.yaml');
    await writeFile(file, content);
    await chmod(file, mode);
    const { code, stdout, stderr } = await runCli(args, { BERTH_CONFIG: file });
    expect(stdout + stderr).not.toContain(SECRET);
    return { code, stderr: stderr.replaceAll(file, 'FILE') };
  }
  const settings = () => ({
    env: 'dev',
    storageUrl: use().mock.storageUrl,
    secretId: 'id',
    secretKey: SECRET,
  });

  it.each(['JSON', 'YAML'])('reads %s', async (kind) => {
    const lines = Object.entries(settings()).map(([name, value]) => `${name}: ${value}\n`);
    const content = kind === 'JSON' ? JSON.stringify(settings()) : lines.join('');
    expect(await run(content)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('STORAGE_FILE_NONEXIST'),
    });
  });

  it('prefers variables to the file', async () => {
    const file = join(await newFolder(), 'config.yaml');
    await writeFile(file, 'env: other\n');
    const result = await runCli(['rm', '-c', file, 'remote:/missing'], use().variables);
    expect(result.stderr).toContain('STORAGE_FILE_NONEXIST');
  });

  it('leaves $schema in the file to editors', async () => {
    const file = join(await newFolder(), 'config.yaml');
    await writeFile(file, '$schema: ./config.schema.json\nenv: other\n');
    const result = await runCli(['rm', '-c', file, 'remote:/missing'], use().variables);
    expect(result.stderr).toContain('STORAGE_FILE_NONEXIST');
  });

  it('refuses a file whose secrets others can read', async () => {
    expect(await run(JSON.stringify(settings()), { mode: 0o640 })).toEqual({
      code: 2,
      stderr: 'berth: Other users can read the secrets in FILE: run chmod 600 FILE\n',
    });
  });

  it.each([
    [`secretKey: "${SECRET}\n`, /^berth: FILE:\d+:\d+ is not valid YAML \([A-Z_]+\)\.\n$/],
    [`secretKey: *${SECRET}\n`, /^berth: FILE has a YAML alias without an anchor/],
    [`secretkey: ${SECRET}\n`, /FILE: unknown setting secretkey\. Did you mean secretKey\?/],
    ['env: 1\n', /FILE: env must be a string: put the value in quotes/],
    ['- env\n', /FILE must contain one setting per line/],
    [
      'wireProfile: no.json\nenv: dev\nstorageUrl: http://127.0.0.1\nsecretId: a\nsecretKey: b\n',
      /Cannot read the wire profile .*no\.json: ENOENT/,
    ],
    [
      'env: dev\nstorageUrl: storage\nsecretId: a\nsecretKey: b\n',
      /berth: storageUrl must be a URL such as https/,
    ],
  ])('reports what is wrong with %j', async (content, message) => {
    const { code, stderr } = await run(content);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
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
