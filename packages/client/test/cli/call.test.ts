import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mockForTests, newFolder, runCli, SECRET } from './support/run-cli.ts';
import { startGateway } from './support/start-service.ts';

const use = mockForTests();

describe('berth call', () => {
  it('prints the body unchanged', async () => {
    const bytes = Buffer.from([0, 255, 10, 13]);
    const { variables, seen } = await startGateway((response) => response.end(bytes));
    const path = '/a%2Fb//c?x=%20&y';
    expect(await runCli(['call', 'hello', path, '-H', 'X-A: 1', '-H', 'x-a:2'], variables)).toEqual(
      {
        code: 0,
        stdout: bytes.toString(),
        stderr: '',
      },
    );
    expect(seen).toMatchObject([
      {
        method: 'GET',
        url: '/v1/cloudrun/hello/a%2Fb//c?x=%20&y',
        headers: { authorization: 'Bearer to-ken', 'x-a': '1, 2' },
      },
    ]);
  });

  it.each([
    ['a text', ['-d', '{"a":"é"}'], 'application/json'],
    ['a file', ['-d', '@data.json', '-H', 'Content-Type: text/x'], 'text/x'],
    ['the standard input', ['-d', '-', '-X', 'POST'], 'application/json'],
  ])('posts %s', async (_, args, type) => {
    const { variables, seen } = await startGateway((response) => response.end('ok'));
    const cwd = await newFolder();
    await writeFile(join(cwd, 'data.json'), '{"a":"é"}');
    const result = await runCli(['call', 'hello', ...args], variables, { cwd, input: '{"a":"é"}' });
    expect(result).toEqual({ code: 0, stdout: 'ok', stderr: '' });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/v1/cloudrun/hello',
        body: '{"a":"é"}',
        headers: { 'content-type': type },
      },
    ]);
  });

  it('signs with a key pair if there is no token', async () => {
    const { variables } = use();
    const { code, stdout, stderr } = await runCli(
      ['call', 'hello', 'greet', '-d', '{"key1":"v1"}', '--json'],
      variables,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ status: 200, body: expect.any(Object) });
    expect(stdout).not.toContain(SECRET);
  });

  it("prints a service's own error, and exits with 1", async () => {
    const { variables } = await startGateway((response) => {
      response.setHeader('X-Svc-Upstream-Status-Code', '409').writeHead(409).end('taken');
    });
    const { code, stdout, stderr } = await runCli(['call', 'hello', '-d', '{}'], variables);
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'taken' });
    expect(stderr).toMatch(/^berth: .*POST \/v1\/cloudrun\/hello, status 409, request id r-1.*\n$/);
  });

  it("reports the gateway's error", async () => {
    const body = { code: 'SERVICE_NOT_FOUND', message: 'No such service.', requestId: 'r-1' };
    const { variables } = await startGateway((response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const { code, stdout, stderr } = await runCli(['call', 'hello'], variables);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('SERVICE_NOT_FOUND, No such service.');
    const inJson = await runCli(['call', 'hello', '--json'], variables);
    expect(inJson.code).toBe(1);
    expect(JSON.parse(inJson.stdout)).toMatchObject({ status: 404, body });
  });

  it.each([
    [['call', 'hello', 'a/../b'], /^berth: .*must not contain the segment/],
    [['call', 'hello'], /^berth: No credentials for the gateway: set BERTH_TOKEN, or/],
  ])('refuses %j before anything is sent', async (args, message) => {
    const { seen, variables } = await startGateway((response) => response.end());
    const { BERTH_TOKEN, ...rest } = variables;
    const given = args.length === 3 ? variables : rest;
    const { code, stderr } = await runCli(args, given);
    expect({ code, seen }).toEqual({ code: 2, seen: [] });
    expect(stderr).toMatch(message);
  });
});
