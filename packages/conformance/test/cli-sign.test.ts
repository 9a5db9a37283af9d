import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { testOn } from '@berth/runtimes/engines';
import { expect, test } from 'vitest';
import { run } from './support/run.ts';
import { startTarget } from './support/start-target.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** Options of the target, without its tokens. */
function withoutTokens(args: readonly string[]): string[] {
  const left = ['--gateway-token', '--other-env-token', '--expired-token'];
  return args.filter(
    (word, index) => ![word, args[index - 1]].some((each = '') => left.includes(each)),
  );
}

/** Runs commands in a shell that finds `berth-conformance`, and returns their output. */
async function paste(commands: string, env: Record<string, string> = {}): Promise<string> {
  await using folder = await makeTemporaryFolder();
  const cli = join(import.meta.dirname, '../src/cli.ts');
  const file = join(folder.path, 'berth-conformance');
  const start = `exec '${process.execPath}' --conditions=berth-source '${cli}' "$@"`;
  await writeFile(file, `#!/bin/sh\n${start}\n`);
  await chmod(file, 0o755);
  const PATH = [folder.path, process.env.PATH].join(delimiter);
  const child = spawn('sh', ['-c', commands], {
    env: { ...process.env, ...env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return out + errors.replaceAll(/^ +[%\d].*$/gm, '');
}

testOn('curl')('a printed command repeats a call with new credentials', async () => {
  // With SHOULD rules, which this deployment breaks.
  await using target = await startTarget();
  const args = withoutTokens(target.args);
  const only = ['--only', 'GW-ERROR,ST-ENVELOPE', '--level', 'should'];
  const { lines } = await run(...args, ...only);
  const begin = lines.findIndex((line) => /^ +repeat /.test(line));
  const length = lines.slice(begin + 1).findIndex((line) => !/^ {18}/.test(line));
  const command = lines.slice(begin, begin + 1 + length).map((line) => line.slice(18));
  const came = lines.slice(0, begin).findLast((line) => /^ +came /.test(line)) ?? '';
  expect(command[0]).toContain('berth-conformance sign --tc3-secret-id ');
  const { storageHeaders } = target.server;
  const output = await paste(command.join('\n'), {
    BERTH_TC3_SECRET_KEY: target.server.tc3.secretKey,
    BERTH_STORAGE_HEADER: Object.entries(storageHeaders)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  });
  expect(output).toMatch(new RegExp(`^HTTP/1.1 ${/\d{3}/.exec(came)?.[0]} `));
});

const COMMAND = 'curl -i --path-as-is --globoff -X POST';

testOn('curl')('a body is signed, from the command or from standard input', async () => {
  await using target = await startTarget();
  const { gatewayUrl, gatewayHost, tc3 } = target.server;
  const url = `${gatewayUrl}/v1/cloudrun/conformance/echo`;
  const sign = `berth-conformance sign --tc3-secret-id ${tc3.secretId} --tc3-service ${tc3.service} --`;
  const headers = `-H 'Host: ${gatewayHost}' -H "Authorization: $AUTHORIZATION" -H 'Content-Type: application/json'`;
  const output = await paste(
    [
      `${sign} ${COMMAND} ${headers} --data-raw '{ }' '${url}'`,
      `printf %b '{\\n}' | ${sign} ${COMMAND} ${headers} --data-binary @- '${url}'`,
      `${COMMAND} ${headers} --data-raw '{ }' '${url}'`,
    ].join('\n'),
    { BERTH_TC3_SECRET_KEY: tc3.secretKey },
  );
  // The last one is not signed.
  expect(output.match(/(?<=HTTP\/1.1 )\d/g)).toEqual(['2', '2', '4']);
});

test.each([
  [[], 'The command is missing: berth-conformance sign -- curl …'],
  [['--', 'curl', '-i'], 'The curl command must have exactly one URL.'],
  [
    ['--', 'curl', '-F', 'a=b', 'http://a.example/'],
    '-F of curl cannot be used here: paste a command as the report shows it.',
  ],
  [
    ['--', 'curl', 'http://a.example/'],
    'There are no credentials for the gateway: pass --tc3-secret-id and --tc3-secret-key, or --gateway-token.',
  ],
])('sign %j is rejected', async (args, message) => {
  const { code, lines } = await run('sign', ...args);
  expect({ code, lines }).toEqual({ code: 2, lines: [`berth-conformance: ${message}`] });
});
