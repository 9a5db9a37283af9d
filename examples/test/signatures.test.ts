import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMock, type Mock } from '@berth/mock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOn, findProgram } from '../../scripts/testing/engines.ts';
import { copyExample, readCommands, removeCopies, runIn, toPattern } from './run-example.ts';

/** A mock that verifies signatures. */
let strict: Mock;

beforeAll(async () => {
  strict = await createMock({ credentials: 'strict' });
});
afterAll(async () => {
  await strict.close();
  await removeCopies();
});

/** Published calls and their signatures; the service name is `tcb`. */
const GATEWAY = {
  id: 'AKIDEXAMPLE',
  secret: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE',
  now: 1_700_000_000,
};
const HOST = 'https://env-abc.api.tcloudbasegateway.com/v1/cloudrun';
const CALLS = [
  ['POST', `${HOST}/helloworld/abc`, 'application/json; charset=utf-8', '{"key1":"v1"}'],
  ['GET', `${HOST}/helloworld/abc?a=1&b=%E4%B8%AD`, 'application/json; charset=utf-8', ''],
  ['POST', `${HOST}/svc-1`, 'application/json', '{"msg":"你好"}'],
];
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
const IN_PYTHON = `
import json, tc3
gateway, calls, storage = json.loads(${JSON.stringify(JSON.stringify([GATEWAY, CALLS, STORAGE]))})
for method, url, kind, body in calls:
    print(tc3.sign_gateway(gateway["id"], gateway["secret"], method, url, kind, body.encode(), "tcb", gateway["now"]))
print(tc3.sign_storage(storage["id"], storage["secret"], storage["host"], "tcb", now=storage["now"]))
`;
const IN_GO = `package main

import ("fmt"; "net/http"; "time")

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

type Command = readonly [string, ...string[]];

function itSigns(name: string, signer: string, toCommand: (file: string) => Command): void {
  const ending = name === 'go' ? 'go' : 'py';
  const variables = { GO111MODULE: 'off', PYTHONDONTWRITEBYTECODE: '1' };

  it('signs as published', async () => {
    const folder = await copyExample(name, {});
    await writeFile(join(folder, `sign.${ending}`), signer);
    const printed = await runIn(folder, toCommand(`sign.${ending}`), variables);
    expect(printed.match(/(?<=Signature=)[\da-f]{64}/g)).toEqual(SIGNATURES);
  });

  it('prints what the guide shows, on a mock that verifies signatures', async () => {
    const folder = await copyExample(name, { 'http://127.0.0.1:4010': strict.url });
    const printed = await runIn(folder, toCommand(`call.${ending}`), variables);
    const [shown] = await readCommands(
      'docs/guides/other-languages.md',
      name === 'go' ? 'go run' : 'python3',
    );
    expect(printed.trim()).toMatch(toPattern(shown?.output ?? ''));
  });
}

describeOn('python', 'the guide', () => itSigns('python', IN_PYTHON, (file) => ['python3', file]));
describeOn('go', 'the guide', () =>
  itSigns('go', IN_GO, (file) => [findProgram(['go']) as string, 'run', file, 'tc3.go']),
);
