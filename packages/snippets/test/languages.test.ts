import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createMock, type Mock } from '@berth/mock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOn, findProgram } from '../../../scripts/testing/engines.ts';
import { ROOT, readPage, toFileName } from '../src/page.ts';

const run = promisify(execFile);

let folder: string;
/** A mock that verifies signatures. */
let strict: Mock;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-languages-'));
  strict = await createMock({ auth: 'strict' });
});
afterAll(async () => {
  await strict.close();
  rmSync(folder, { recursive: true });
});

type Runner = (file: string) => [program: string, ...args: string[]];

const PYTHON: Runner = (file) => [findPython(), file];
const GO: Runner = (file) => [findProgram(['go']) as string, 'run', file];

/** The Python that has httpx: the one that its command names. */
function findPython(): string {
  const command = readFileSync(findProgram(['httpx']) as string, 'utf8');
  return (/^#!(\S+)/.exec(command)?.[1] ?? 'python3') as string;
}

async function runIn(cwd: string, [program, ...args]: [string, ...string[]]): Promise<string> {
  const env = { ...process.env, GO111MODULE: 'off', PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await run(program, args, { cwd, env, timeout: 300_000 });
  return stdout;
}

/** The published calls and their signatures; the service name is `tcb`. */
const GATEWAY = {
  id: 'AKIDEXAMPLE',
  secret: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE',
  now: 1_700_000_000,
};
const JSON_TYPE = 'application/json; charset=utf-8';
const CALLS = [
  ['POST', '/v1/cloudrun/helloworld/abc', JSON_TYPE, '{"key1":"v1"}'],
  ['GET', '/v1/cloudrun/helloworld/abc?a=1&b=%E4%B8%AD', JSON_TYPE, ''],
  ['POST', '/v1/cloudrun/svc-1', 'application/json', '{"msg":"你好"}'],
].map(([method, path, ...rest]) => [
  method,
  `https://env-abc.api.tcloudbasegateway.com${path}`,
  ...rest,
]);
const STORAGE = {
  id: 'AKIDDo-bNhLNl3kEY5HRzEG-CNUotmyFSadvpKimESWTfND98qyfrpYLCtQJ92_z9yN8',
  secret: 'wH72j2a5ZzhwgnXViwVNqdWhWn4AG4iasv26D4JdjBA=',
  host: 'api.tcloudbase.com',
  now: 1_600_227_242,
};
const SIGNATURES = [
  '924320a002e71c3bca019a05b7ad2210d336ee2cb132607eb2fc92b6a7ab6573',
  '03fe0e4135523a447442761972e040aaee12095f9de2e63ae42e2864610cc674',
  '7e623ebb6f91f1a29a4978b68cf59a9c484e76d291ca2fb0816abd663aa4e731',
  '0ce229810e251baa0ee2bb786c5f9eb6cb7758f55df28cbc161883c48a997e04',
];

/** Prints the headers of each published call. */
const SIGN_IN_PYTHON = `
import json, tc3
gateway, calls, storage = json.loads(${JSON.stringify(JSON.stringify([GATEWAY, CALLS, STORAGE]))})
for method, url, kind, body in calls:
    print(tc3.sign_gateway(gateway["id"], gateway["secret"], method, url, kind, body.encode(), "tcb", gateway["now"]))
print(tc3.sign_storage(storage["id"], storage["secret"], storage["host"], "tcb", now=storage["now"]))
`;
const SIGN_IN_GO = `package main

import (
	"fmt"
	"net/http"
	"time"
)

func main() {
	for _, call := range [][]string{${CALLS.map((call) => `{${call.map((text) => JSON.stringify(text)).join(', ')}}`).join(', ')}} {
		request, _ := http.NewRequest(call[0], call[1], nil)
		request.Header.Set("Content-Type", call[2])
		pair := KeyPair{ID: "${GATEWAY.id}", Secret: "${GATEWAY.secret}", Service: "tcb"}
		pair.SignGateway(request, []byte(call[3]), time.Unix(${GATEWAY.now}, 0))
		fmt.Println(request.Header)
	}
	request, _ := http.NewRequest("POST", "https://storage.example.com", nil)
	pair := KeyPair{ID: "${STORAGE.id}", Secret: "${STORAGE.secret}", Service: "tcb"}
	pair.SignStorage(request, "${STORAGE.host}", time.Unix(${STORAGE.now}, 0))
	fmt.Println(request.Header)
}
`;

/** Checks the guide of a language: its signatures, and its program against a mock that verifies them. */
function itFollowsGuide(name: string, ending: string, signer: string, toCommand: Runner) {
  const path = `docs/guides/${name}.md`;
  const blocks = readPage(path, readFileSync(join(ROOT, path), 'utf8'));
  const toFolder = () => {
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    for (const block of blocks) {
      const file = toFileName(block);
      const code = block.code.replaceAll('http://127.0.0.1:4010', strict.url);
      if (file) writeFileSync(join(own, file), code);
    }
    writeFileSync(join(own, `sign.${ending}`), signer);
    return own;
  };
  const withSigner = (file: string): [string, ...string[]] =>
    ending === 'go' ? [...toCommand(file), 'tc3.go'] : toCommand(file);

  it('signs as published, in at most 60 lines', async () => {
    const printed = await runIn(toFolder(), withSigner(`sign.${ending}`));
    expect(printed.match(/(?<=Signature=)[\da-f]{64}/g)).toEqual(SIGNATURES);
    const [signing] = blocks.filter((block) => toFileName(block)?.startsWith('tc3.'));
    expect(signing?.code.split('\n').length).toBeLessThanOrEqual(60);
  });

  it('prints what the guide shows, on a mock that verifies signatures', async () => {
    const printed = await runIn(toFolder(), withSigner(`call.${ending}`));
    const shown =
      blocks
        .find(({ lang }) => lang === 'console')
        ?.code.split('\n')
        .slice(1) ?? [];
    const withoutIds = (text: string) => text.replace(/"requestId":"[^"]+"/, '"requestId":"…"');
    expect(withoutIds(printed).trim().split('\n')).toEqual(shown);
  });
}

describeOn('python', 'the guide', () => itFollowsGuide('python', 'py', SIGN_IN_PYTHON, PYTHON));
describeOn('go', 'the guide', () => itFollowsGuide('go', 'go', SIGN_IN_GO, GO));
