import { assert, assertEqual, assertFails } from '../assert.ts';
import { serviceOf } from '../clients.ts';
import type { PlatformCase } from '../platform-case.ts';
import { type Echo, SERVICES } from '../services.ts';

const UNUSUAL = 'a%2Fb//c%20d/%E4%B8%AD%E6%96%87?q=1&r=%26&r=a+b';

/** Calls to hosted services. */
export const CALLS: readonly PlatformCase[] = [
  {
    name: 'sends a path and a query unchanged',
    feature: 'calls',
    async run(deployment) {
      const { method, target } = await serviceOf(deployment, SERVICES.echo).get<Echo>(UNUSUAL);
      assertEqual({ method, target }, { method: 'GET', target: `/${UNUSUAL}` });
    },
  },
  {
    name: 'posts JSON, texts, bytes and forms',
    feature: 'calls',
    async run(deployment) {
      const echo = serviceOf(deployment, SERVICES.echo);
      const post = async (body: unknown) => {
        const response = await echo.post<Echo>('a', body);
        return [response.headers['content-type'], response.body];
      };
      assertEqual(await post({ a: '中' }), ['application/json', '{"a":"中"}']);
      assertEqual((await post('é'))[1], 'é');
      assertEqual((await post(new TextEncoder().encode('bytes')))[1], 'bytes');
      assertEqual((await post(new Blob(['blob'])))[1], 'blob');
      assertEqual((await post(new URLSearchParams({ a: 'b c' })))[1], 'a=b+c');
    },
  },
  {
    name: 'returns the raw response with its body unread',
    feature: 'calls',
    async run(deployment) {
      const response = await serviceOf(deployment, SERVICES.echo).request('status/418');
      assertEqual(response.status, 418);
      assertEqual(await response.json(), { status: 418 });
    },
  },
  {
    name: 'returns a redirect of the service without following it',
    feature: 'redirects',
    async run(deployment) {
      const echo = serviceOf(deployment, SERVICES.echo);
      const response = await echo.request('status/302');
      assertEqual(response.status, 302);
      await response.body?.cancel();
      await assertFails(echo.get('status/302'), { name: 'GatewayError', status: 302 });
    },
    async without(deployment) {
      const echo = serviceOf(deployment, SERVICES.echo);
      const hidden = { name: 'GatewayError', status: 0, says: "redirect: 'follow'" };
      await assertFails(echo.request('status/302'), hidden);
      await assertFails(echo.get('status/302'), hidden);
    },
  },
  {
    name: 'posts a stream while it is read',
    feature: 'postStream',
    async run(deployment) {
      const { body } = await serviceOf(deployment, SERVICES.echo).post<Echo>('a', textStream());
      assertEqual(body, 'one two');
    },
    async without(deployment) {
      const echo = serviceOf(deployment, SERVICES.echo);
      const error = await echo.post('a', textStream()).catch((reason: Error) => reason);
      assertEqual((error as Error).name, 'NetworkError');
    },
  },
  {
    name: 'calls another origin and reads all headers that the contract exposes',
    feature: 'crossOrigin',
    async run(deployment) {
      const response = await serviceOf(deployment, SERVICES.echo).request('a');
      const read = (name: string) => response.headers.get(name);
      assert(read('X-Request-Id'), 'no X-Request-Id can be read');
      assertEqual(read('X-Svc-Upstream-Status-Code'), '200');
      assert(read('Content-Disposition')?.startsWith('attachment'), 'no Content-Disposition');
      assert(Date.parse(read('Date') ?? '') > 0, 'no Date can be read');
      await response.body?.cancel();
    },
  },
];

function textStream(): ReadableStream<Uint8Array> {
  const parts = ['one', ' ', 'two'];
  return new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(part));
    },
  });
}
