import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { cliForTests } from './run-cli.ts';

const { berth, start, session } = cliForTests();

const NO_SCHEME = { BERTH_STORAGE_URL: '127.0.0.1:4010' };
const NO_KEYS = { BERTH_TC3_SECRET_ID: '', BERTH_TC3_SECRET_KEY: '' };

it.each<[string, RegExp, Record<string, string>?]>([
  ['cpp', /unknown command 'cpp'\n\(Did you mean cp\?\)\s+See berth --help for the commands\.\n/],
  ['cp a', /missing required argument 'to'\s+See berth cp --help for the arguments\.\n/],
  ['cp a', /See npx berth cp --help/, { npm_lifecycle_event: 'npx' }],
  ['cp ./a ./b', /One side must be in storage: remote:\/path\.\n/],
  ['rm remote:', /remote: is a folder, which the storage API cannot list/],
  ['rm ./a', /\.\/a is not a storage path: write it as remote:\/a\n/],
  ['cp ./no-such remote:/x', /Cannot read \.\/no-such: no such file or directory\.\n/],
  ['cp ./a cloud://dev.files/x', /not a storage path: write it as remote:\/path\n/],
  ['cp remote:/x/ y', /remote:\/x\/ is a folder, which .*: specify a file/],
  ['cp remote:/x remote:/y', /remote:\/x is already in storage: berth mv moves/],
  ['url remote:/x --max-age 0', /Expected an integer of at least 1/],
  ['call hello -d @/no/such', /Cannot read \/no\/such: no such file or directory\.\n/],
  ['call hello -d @', /Cannot read : no such file or directory\.\n/],
  ['call hello -d @/', /Cannot read \/: illegal operation on a directory\.\n/],
  ['call hello -H x', /Expected "Name: value"/],
  ['call hello -H authorization:a', /set BERTH_GATEWAY_TOKEN/],
  ['call hello a/../b', /must not contain "\.\."/],
  ['call hello', /No credentials for the gateway: set BERTH_GATEWAY_TOKEN, or/, NO_KEYS],
  ['rm remote:/x', /BERTH_TC3_SECRET_KEY is missing \(secret/, { BERTH_TC3_SECRET_KEY: '' }],
  ['rm remote:/x', /^berth: BERTH_STORAGE_URL must be a URL such as (?!.*baseUrl)/, NO_SCHEME],
  ['call hello', /BERTH_GATEWAY_URL .* https:\/\/dev\.gateway/, { BERTH_GATEWAY_URL: 'gateway' }],
  ['rm remote:/x', /BERTH_STORAGE_URL must be/, { BERTH_STORAGE_URL: 'https://user:a@b.example' }],
  ['rm remote:/x', /BERTH_WIRE_PROFILE: Cannot read \/: illegal/, { BERTH_WIRE_PROFILE: '/' }],
  ['rm remote:/x', /BERTH_REQUEST_FORM must be top or data\.\n/, { BERTH_REQUEST_FORM: 'body' }],
])('berth %s ends with 2, says the fix and sends nothing', async (args, message, env) => {
  const { code, stdout, stderr } = await berth(args.split(' '), env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/\n {4}at /);
  expect(session().requests()).toEqual([]);
});

it('berth accepts every URL that the client accepts', async () => {
  const env = { BERTH_STORAGE_URL: 'http://127.0.0.1:1/@team' };
  const stderr = expect.stringContaining('POST /@team/api/v2/envs/dev/');
  expect(await berth(['rm', 'remote:/x'], env)).toMatchObject({ code: 1, stderr });
});

it.each<[string, RegExp, Record<string, string>?]>([
  ['cp --help', /Usage: berth cp \[options\] <from> <to>/],
  ['cp --help', /Usage: npx berth cp \[options\] <from> <to>/, { npm_lifecycle_event: 'npx' }],
])('berth %s prints to stdout and ends with 0', async (args, text, env) => {
  const stdout = expect.stringMatching(text);
  expect(await berth(args.split(' '), env)).toEqual({ code: 0, stdout, stderr: '' });
});

it('berth --version prints the version of the package', async () => {
  const stdout = expect.stringMatching(/^\d+\.\d+\.\d+\n$/);
  expect(await start(['--version']).result).toEqual({ code: 0, stdout, stderr: '' });
});

it('berth --help names the settings, which berth-conformance has as well', async () => {
  const { code, stdout } = await berth(['--help']);
  expect(code).toBe(0);
  const settings = stdout.match(/^ {2}BERTH_\w+/gm)?.map((line) => line.trim()) ?? [];
  expect(settings.length).toBeGreaterThan(5);
  const suite = fileURLToPath(new URL('../../../conformance/src/cli.ts', import.meta.url));
  const args = ['--conditions=berth-source', suite, '--help'];
  const help = (await promisify(execFile)(process.execPath, args)).stdout;
  // "Each option can also be set with an environment variable (BERTH_GATEWAY_URL for --gateway-url)."
  const options = help.match(/^ {2}--[\w-]+/gm)?.map((line) => line.trim().slice(2)) ?? [];
  const variables = options.map((name) => `BERTH_${name.replaceAll('-', '_').toUpperCase()}`);
  expect(variables).toEqual(expect.arrayContaining(settings));
});
