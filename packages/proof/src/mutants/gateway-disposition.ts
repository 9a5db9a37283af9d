import type { Mutant } from './mutant.ts';
import { listOrdered, mediaTypeOf } from './support/answers.ts';

const TEXTS = ['application/json', 'text/plain'];

export const gatewayDisposition: readonly Mutant[] = [
  {
    rule: 'GW-C1',
    breaks: 'an answer of JSON to a GET carries no Content-Disposition',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'GET' || mediaTypeOf(answer) !== 'application/json') return;
        answer.headers.remove('Content-Disposition');
      },
    }),
  },
  {
    rule: 'GW-C1',
    breaks: 'a failure of the service carries no Content-Disposition on GET',
    companions: [],
    create: () => ({
      answer({ status, headers }, { isGateway, method }) {
        if (isGateway && method === 'GET' && status >= 500) headers.remove('Content-Disposition');
      },
    }),
  },
  {
    rule: 'GW-C2',
    breaks: 'sounds carry no Content-Disposition on POST',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'POST' || !mediaTypeOf(answer).startsWith('audio/')) return;
        answer.headers.remove('Content-Disposition');
      },
    }),
  },
  {
    rule: 'GW-C2',
    breaks: 'what is not answered with 200 carries no Content-Disposition on POST',
    companions: [],
    create: () => ({
      answer({ status, headers }, { isGateway, method }) {
        if (isGateway && method === 'POST' && status !== 200) headers.remove('Content-Disposition');
      },
    }),
  },
  {
    rule: 'GW-C2-TEXT',
    breaks: 'text types are compared with their case',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        const type = answer.headers.get('content-type') ?? '';
        if (!isGateway || method !== 'POST' || !TEXTS.includes(type.toLowerCase())) return;
        if (!TEXTS.includes(type)) answer.headers.set('Content-Disposition', 'attachment');
      },
    }),
  },
  {
    rule: 'GW-C2-TEXT',
    breaks: 'a Content-Disposition of the service stays on a text type',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.method !== 'POST' || mediaTypeOf(answer) !== 'text/plain') return;
        const [own] = listOrdered(request, 'Content-Disposition');
        if (own) answer.headers.set('Content-Disposition', own);
      },
    }),
  },
  {
    rule: 'GW-C2-PARAMETERS',
    breaks: 'JSON with a charset counts as no text type',
    companions: [],
    create: () => ({
      answer({ headers }, { isGateway, method }) {
        const type = headers.get('content-type') ?? '';
        if (!isGateway || method !== 'POST' || !/^application\/json;/.test(type)) return;
        headers.set('Content-Disposition', 'attachment');
      },
    }),
  },
  {
    rule: 'GW-C2-PARAMETERS',
    breaks: 'a type counts as text where a parameter names a text type',
    companions: ['GW-C2-NOT-TEXT'],
    create: () => ({
      answer({ headers }, { isGateway, method }) {
        const type = headers.get('content-type') ?? '';
        if (!isGateway || method !== 'POST' || !/;.*(application\/json|text\/plain)/.test(type))
          return;
        headers.remove('Content-Disposition');
      },
    }),
  },
  {
    rule: 'GW-C2-NOT-TEXT',
    breaks: 'types that end in +json count as text',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'POST' || !mediaTypeOf(answer).endsWith('+json')) return;
        answer.headers.remove('Content-Disposition');
      },
    }),
  },
  {
    rule: 'GW-C2-NOT-TEXT',
    breaks: 'pages count as text on POST',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'POST' || mediaTypeOf(answer) !== 'text/html') return;
        answer.headers.remove('Content-Disposition');
      },
    }),
  },
  {
    rule: 'GW-C2-NOT-TEXT',
    breaks: 'a type counts as text where it begins like a text type',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (
          !isGateway ||
          method !== 'POST' ||
          !/^(application\/json|text\/plain)./.test(mediaTypeOf(answer))
        )
          return;
        answer.headers.remove('Content-Disposition');
      },
    }),
  },
  {
    rule: 'GW-C3',
    breaks: 'an event stream that answers a POST carries attachment',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'POST' || mediaTypeOf(answer) !== 'text/event-stream') return;
        answer.headers.set('Content-Disposition', 'attachment');
      },
    }),
  },
  {
    rule: 'GW-C3',
    breaks: 'an event stream with a charset carries attachment',
    companions: [],
    create: () => ({
      answer({ headers }, { isGateway }) {
        if (!isGateway || !headers.get('content-type')?.startsWith('text/event-stream;')) return;
        headers.set('Content-Disposition', 'attachment');
      },
    }),
  },
  {
    rule: 'GW-C3-WEBSOCKET',
    breaks: 'a 101 carries attachment',
    companions: [],
    create: () => ({
      upgraded({ headers }) {
        headers.set('Content-Disposition', 'attachment');
      },
    }),
  },
  {
    rule: 'GW-C3-WEBSOCKET',
    breaks: 'a 101 carries the Content-Disposition of the service',
    companions: [],
    create: () => ({
      upgraded({ headers }, request) {
        const [own] = listOrdered(request, 'Content-Disposition');
        if (own) headers.set('Content-Disposition', own);
      },
    }),
  },
  {
    rule: 'GW-DISPOSITION-INLINE',
    breaks: 'inline of the service stays beside attachment on POST',
    companions: [],
    create: () => ({
      answer({ headers }, request) {
        if (!request.isGateway || request.method !== 'POST') return;
        const own = listOrdered(request, 'Content-Disposition').find((value) =>
          /^inline/i.test(value),
        );
        if (own && headers.get('Content-Disposition')) headers.add('Content-Disposition', own);
      },
    }),
  },
  {
    rule: 'GW-DISPOSITION-INLINE',
    breaks: 'inline of the service stands in place of attachment on pages',
    companions: [],
    create: () => ({
      answer(answer, request) {
        if (request.method !== 'GET' || mediaTypeOf(answer) !== 'text/html') return;
        const [own = ''] = listOrdered(request, 'Content-Disposition');
        if (/^inline/i.test(own)) answer.headers.set('Content-Disposition', own);
      },
    }),
  },
];
