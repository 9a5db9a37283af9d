import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { CallerConnection } from './watch.ts';

const LIMIT = 1000;

function setUp() {
  const socket = { bytesRead: 0, bytesWritten: 0, writableLength: 0 };
  const request = {
    complete: false,
    destroyed: false,
    readableFlowing: true,
    readableLength: 0,
    listenerCount: () => 0,
  };
  const connection = new CallerConnection(socket as Socket);
  connection.receive(request as unknown as IncomingMessage, undefined);
  let now = 5_000;
  /** What is found in each quarter of some seconds. */
  const findIn = (seconds: number, step: () => void = () => {}) =>
    Array.from({ length: seconds * 4 }, () => {
      now += LIMIT / 4;
      step();
      return connection.findStall(now, LIMIT);
    }).filter((stall) => stall !== undefined);
  return { socket, request, connection, findIn };
}

test.each([
  ['nothing', 0, 1],
  ['a few bytes now and then', 100, 1],
  ['enough', 300, 0],
])('a caller that sends %s of a body', (_, bytes, stalls) => {
  const { socket, findIn } = setUp();
  const found = findIn(1.5, () => {
    socket.bytesRead += bytes;
  });
  expect(found).toEqual(Array(stalls).fill('sends a body too slowly'));
});

test('a body that nobody reads here, that is complete or that is gone is not slow', () => {
  const { request, findIn } = setUp();
  request.readableLength = 1;
  expect(findIn(3)).toEqual([]);
  Object.assign(request, { readableLength: 0, complete: true });
  expect(findIn(3)).toEqual([]);
  Object.assign(request, { complete: false, destroyed: true });
  expect(findIn(3)).toEqual([]);
});

test('a caller that sends a body on after its response', () => {
  const { socket, request, connection, findIn } = setUp();
  const response = { writableFinished: false };
  connection.receive(request as unknown as IncomingMessage, response as ServerResponse);
  const send = () => {
    socket.bytesRead += 1_000_000;
  };
  expect(findIn(3, send)).toEqual([]);
  response.writableFinished = true;
  expect(findIn(1, send)).toEqual(['sends a body after its response']);
});

test.each([
  ['nothing, and sends bytes now and then', 0, 3],
  ['slowly', 1, 0],
])('a caller that reads %s', (_, taken, stalls) => {
  const { socket, request, findIn } = setUp();
  request.complete = true;
  Object.assign(socket, { bytesWritten: 10_000, writableLength: 10_000 });
  const found = findIn(1.75, () => {
    socket.bytesRead += 1;
    socket.writableLength -= taken;
  });
  expect(found).toEqual(Array(stalls).fill('reads nothing'));
});

test('an idle stream may be silent for any time', () => {
  const { request, findIn } = setUp();
  request.complete = true;
  expect(findIn(100)).toEqual([]);
});

test('knows whether a response has begun on the connection, or an earlier one has not ended', () => {
  const { connection } = setUp();
  const receive = (headersSent: boolean, writableFinished = false) => {
    const response = { headersSent, writableFinished };
    connection.receive({} as IncomingMessage, response as ServerResponse);
    return response;
  };
  const first = receive(false);
  expect(connection.hasOpenResponse).toBe(false);
  first.headersSent = true;
  expect(connection.hasOpenResponse).toBe(true);
  receive(false);
  expect(connection.hasOpenResponse).toBe(true);
  first.writableFinished = true;
  expect(connection.hasOpenResponse).toBe(false);
});
