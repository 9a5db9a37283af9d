import { gunzipSync } from 'node:zlib';
import type { Mutant } from './mutant.ts';
import { listOrdered, mediaTypeOf } from './support/answers.ts';

export const gatewayAnswers: readonly Mutant[] = [
  {
    rule: 'GW-GET-JSON',
    breaks: 'an object with a code is taken for an envelope, and answered inside data',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'GET' || answer.status !== 200) return;
        if (answer.json?.code === 'OK') answer.json = { data: answer.json };
      },
    }),
  },
  {
    rule: 'GW-GET-TEXT',
    breaks: 'line ends of a plain text become LF',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'GET' || answer.headers.get('content-type') !== 'text/plain')
          return;
        const text = answer.body.toString('latin1').replaceAll('\r\n', '\n');
        answer.body = Buffer.from(text, 'latin1');
      },
    }),
  },
  {
    rule: 'GW-POST-JSON',
    breaks: 'properties of value null are left out of an object',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'POST' || answer.json?.none !== null) return;
        const { none: _, ...rest } = answer.json;
        answer.json = rest;
      },
    }),
  },
  {
    rule: 'GW-POST-TEXT',
    breaks: 'a plain text that is JSON gets the content type of JSON',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'POST' || mediaTypeOf(answer) !== 'text/plain') return;
        if (answer.json?.not) answer.headers.set('Content-Type', 'application/json');
      },
    }),
  },
  {
    rule: 'GW-STATUS',
    breaks: 'a status that has no name becomes the first of its hundred',
    companions: [],
    create: () => ({
      answer(answer, { isGateway }) {
        if (isGateway && answer.status % 100 === 99) answer.status -= 99;
      },
    }),
  },
  {
    rule: 'GW-STATUS',
    breaks: '504 of the service is answered as an error of the gateway, with 502',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (isGateway && method === 'GET' && answer.status === 504) answer.status = 502;
      },
    }),
  },
  {
    rule: 'GW-STATUS',
    breaks: '308 to a POST becomes 302',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (isGateway && method === 'POST' && answer.status === 308) answer.status = 302;
      },
    }),
  },
  {
    rule: 'GW-HEADERS',
    breaks: 'cookies of an answer are put into one header',
    companions: [],
    create: () => ({
      answer({ headers }, { isGateway }) {
        const cookies = headers.get('set-cookie');
        if (isGateway && cookies !== undefined) headers.set('Set-Cookie', cookies);
      },
    }),
  },
  {
    rule: 'GW-HEADERS',
    breaks: 'headers with an underscore are left out of an answer',
    companions: [],
    create: () => ({
      answer({ headers }, { isGateway }) {
        if (isGateway) headers.list = headers.list.filter(([name]) => !name.includes('_'));
      },
    }),
  },
  {
    rule: 'GW-HEADERS',
    breaks: 'a 304 loses its ETag',
    companions: [],
    create: () => ({
      answer({ status, headers }, { isGateway }) {
        if (isGateway && status === 304) headers.remove('ETag');
      },
    }),
  },
  {
    rule: 'GW-HEADERS',
    breaks: 'the 101 of a WebSocket loses the cookies of the service',
    companions: [],
    create: () => ({
      upgraded({ headers }) {
        headers.remove('Set-Cookie');
      },
    }),
  },
  {
    rule: 'GW-HOP-BY-HOP',
    breaks: 'headers that the Connection of the service names reach the caller',
    companions: [],
    create: () => ({
      answer({ headers }, request) {
        if (!request.isGateway) return;
        const [value] = listOrdered(request, 'X-Conformance-One');
        if (value) headers.add('X-Conformance-One', value);
      },
    }),
  },
  {
    rule: 'GW-HOP-BY-HOP',
    breaks: 'Proxy-Connection of an error of the service reaches the caller',
    companions: [],
    create: () => ({
      answer({ status, headers }, request) {
        if (!request.isGateway || status !== 404) return;
        const [value] = listOrdered(request, 'Proxy-Connection');
        if (value) headers.add('Proxy-Connection', value);
      },
    }),
  },
  {
    rule: 'GW-BODY',
    breaks: 'JSON of the service is parsed and written anew',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'POST' || answer.status !== 200) return;
        const { json } = answer;
        if (mediaTypeOf(answer) === 'application/json' && json) answer.json = json;
      },
    }),
  },
  {
    rule: 'GW-BODY',
    breaks: 'what is beyond 65,536 bytes of an image is lost',
    companions: [],
    create: () => ({
      answer(answer, { isGateway }) {
        if (!isGateway || mediaTypeOf(answer) !== 'image/png') return;
        answer.body = answer.body.subarray(0, 65_536);
      },
    }),
  },
  {
    rule: 'GW-BODY',
    breaks: 'a compressed body is decompressed',
    companions: [],
    create: () => ({
      answer(answer, { isGateway }) {
        if (!isGateway || answer.headers.get('content-encoding') !== 'gzip') return;
        answer.body = gunzipSync(answer.body);
      },
    }),
  },
  {
    rule: 'GW-BODY',
    breaks: 'a page of the service with 404 is replaced by one of the gateway',
    companions: [],
    create: () => ({
      answer(answer, { isGateway }) {
        if (!isGateway || answer.status !== 404 || mediaTypeOf(answer) !== 'text/html') return;
        answer.body = Buffer.from('<h1>Not found</h1>');
      },
    }),
  },
];
