import { expect, it } from 'vitest';
import { sendRaw } from '../support/send-raw.ts';
import {
  BEARER,
  send,
  startGateway,
  startRawResponse,
  startRawService,
  startService,
  toService,
} from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';
/** A gateway in front of a service that records each target. */
async function startNoting() {
  const targets: (string | undefined)[] = [];
  const { origin } = await startService((request, response) => {
    targets.push(request.url);
    request.resume().on('end', () => response.end('ok'));
  });
  return { targets, ...(await startGateway([toService([origin])])) };
}

it('refuses a body on GET, and a second Host', async () => {
  const { targets, port } = await startNoting();
  const get = (more: string) =>
    sendRaw(
      port,
      `GET ${HELLO} HTTP/1.1\r\nAuthorization: ${BEARER}\r\nConnection: close\r\n${more}`,
    );
  expect(await get('Host: dev\r\nContent-Length: 2\r\n\r\n{}')).toMatch(/^HTTP\/1\.1 400/);
  expect(await get('Host: dev\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 400/,
  );
  expect(await get('Host: dev\r\nHost: other\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/);
  expect(targets).toEqual([]);
});

it.each([
  ['CL and TE', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['two lengths', 'Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
  ['a list of lengths', 'Content-Length: 3, 3\r\n\r\nabc'],
  ['a NUL', 'Content-Length: 0\r\nX: a\x00b\r\n\r\n'],
  ['a bare CR', 'Content-Length: 0\r\nX: a\rSet-Cookie: b\r\n\r\n'],
  ['a control character', 'Content-Length: 0\r\nX: a\x01b\r\n\r\n'],
  ['a DEL', 'Content-Length: 0\r\nX: a\x7fb\r\n\r\n'],
  ['a broken name', 'Content-Length: 0\r\nX Y: a\r\n\r\n'],
  ['no name', 'Content-Length: 0\r\n: a\r\n\r\n'],
  ['a spaced name', 'Content-Length : 0\r\n\r\n'],
])('responds with BAD_GATEWAY if a service sends %s', async (_name, rest) => {
  const { origin } = await startRawResponse(`HTTP/1.1 200 OK\r\n${rest}`);
  const { base } = await startGateway([toService([origin])], {}, { onError: () => {} });
  expect(await send(base, HELLO)).toMatchObject({ code: 'BAD_GATEWAY', status: 502 });
});

it.each(['\r\n ', '\r\n\t'])('unfolds or refuses a header folded by %j', async (fold) => {
  const { origin } = await startRawResponse(
    `HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: a${fold}Set-Cookie: b\r\n\r\n`,
  );
  const { base } = await startGateway([toService([origin])], {}, { onError: () => {} });
  const response = await send(base, HELLO);
  expect(response.headers['set-cookie']).toBeUndefined();
  if (response.status !== 502) expect(response.headers.x).toMatch(/^a[ \t]+Set-Cookie: b$/);
});

it('never mistakes surplus bytes from a service for the next response', async () => {
  let calls = 0;
  const { origin } = await startRawService((socket) => {
    socket.on('data', () => {
      calls += 1;
      const poison = 'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned';
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${calls === 1 ? poison : ''}`);
    });
  });
  const { base } = await startGateway([toService([origin])]);
  for (let time = 0; time < 3; time += 1) {
    expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
  }
});
