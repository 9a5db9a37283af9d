import { expect, test } from 'vitest';
import * as entry from '../src/index.ts';
import * as msw from '../src/msw/index.ts';

const { createMock } = entry;

test('the package exports exactly the documented names', () => {
  expect(Object.keys(entry).sort()).toEqual(['GatewayError', 'createMock', 'events', 'routes']);
  expect(Object.keys(msw).sort()).toEqual(['GatewayError', 'events', 'mswHandlers', 'routes']);
});

test('close can be called again, and ends open connections', async () => {
  const mock = await createMock();
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const init = { method: 'POST', headers, body: new ReadableStream(), duplex: 'half' };
  const pending = fetch(mock.url, init as RequestInit);
  pending.catch(() => {});
  await Promise.all([mock.close(), mock.close()]);
  await expect(pending).rejects.toThrow();
  await expect(fetch(mock.url)).rejects.toThrow();
});

test.each<[object, string]>([
  [{ port: -1 }, 'port must be an integer from 0 to 65535, got'],
  [{ env: 'a.b' }, 'env must be a host name label'],
  [{ maxSessionBytes: 0 }, 'maxSessionBytes must be a positive integer, got 0.'],
  [{ host: 1 }, "host must be an address of this machine, such as '127.0.0.1', got 1."],
  [{ dynamic: 1 }, 'dynamic must be true or false, got 1.'],
  [{ credentials: null }, 'credentials must be one of present, strict, got null.'],
  [{ origins: 'https://a.example' }, "origins must be a list of origins, such as ['https://"],
  [{ services: 5 }, 'services must be the path of a file, or services by name'],
  [{ services: new Map() }, 'or services by name, got [object Map].'],
  [{ document: {} }, 'document must be the path of an OpenAPI document, got an object.'],
  [{ faults: 'latency=200' }, "faults must be a list of rules, such as ['latency=200'], got 'lat"],
  [{ faults: [{ truncate: -1 }] }, 'faults[0]: truncate must be an integer'],
  [{ wireProfile: 'a' }, "wireProfile must be an object, got 'a'."],
  [{ maxSesionBytes: 1 }, 'maxSesionBytes is not an option. Did you mean maxSessionBytes?'],
  [{ insecure: true }, 'insecure is not an option. The options: port, host, env'],
])('rejects %j by name', async (options, sentence) => {
  await expect(createMock(options)).rejects.toThrow(sentence);
});
