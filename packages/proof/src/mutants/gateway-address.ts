import { randomUUID } from 'node:crypto';
import { MutatedAnswer } from '../proxy/messages.ts';
import type { Mutant } from './mutant.ts';
import { toRefusal } from './support/refusals.ts';

export const gatewayAddress: readonly Mutant[] = [
  {
    rule: 'GW-ENV-HOST',
    breaks: 'every host is taken for that of the environment',
    companions: [],
    create: ({ env }) => ({
      request(request) {
        if (request.isGateway) request.headers.set('Host', `${env}.gateway.example`);
      },
    }),
  },
  {
    rule: 'GW-ENV-HOST',
    breaks: 'a host that only begins like that of the environment is taken for it',
    companions: [],
    create: ({ env }) => ({
      request(request) {
        const host = request.headers.get('host') ?? '';
        if (!request.isGateway || !host.startsWith(`${env}-`)) return;
        request.headers.set('Host', `${env}.gateway.example`);
      },
    }),
  },
  {
    rule: 'GW-PATH-SHAPE',
    breaks: 'the extension of a page is cut from the path',
    companions: [],
    create: () => ({
      request(request) {
        if (request.isGateway) request.target = request.target.replace(/\.html$/, '');
      },
    }),
  },
  {
    rule: 'GW-PATH-SHAPE',
    breaks: 'what is for a missing service goes to another one',
    companions: [],
    create: () => ({
      request(request) {
        if (!request.isGateway || !request.path.endsWith('/answer')) return;
        request.target = request.target.replace(
          /^\/v1\/cloudrun\/[^/?]+/,
          '/v1/cloudrun/conformance',
        );
      },
    }),
  },
  {
    rule: 'GW-PATH-OPTIONAL',
    breaks: 'a call without anyPath calls /index',
    companions: [],
    create: () => ({
      request(request) {
        const isSigned = request.headers.get('authorization')?.startsWith('TC3-');
        if (request.path !== '/v1/cloudrun/conformance' || isSigned) return;
        request.target = request.target.replace(request.path, `${request.path}/index`);
      },
    }),
  },
  {
    rule: 'GW-PATH-OPTIONAL',
    breaks: 'a POST needs an anyPath',
    companions: [],
    create: () => ({
      request({ method, target }) {
        if (method !== 'POST' || target !== '/v1/cloudrun/conformance?a=1') return;
        return toRefusal(404, 'INVALID_PATH');
      },
    }),
  },
  {
    rule: 'GW-PATH-TRAILING-SLASH',
    breaks: 'a slash behind the name is answered with a redirect',
    companions: ['GW-C1'],
    create: () => ({
      request({ target }) {
        if (target !== '/v1/cloudrun/conformance/') return;
        return new MutatedAnswer(301, {
          Location: target.slice(0, -1),
          'X-Request-Id': randomUUID(),
        });
      },
    }),
  },
  {
    rule: 'GW-PATH-SEGMENTS',
    breaks: 'segments from the tenth on are lost',
    companions: [],
    create: () => ({
      request(request) {
        const { path, query } = request;
        const segments = path.split('/');
        if (!request.isGateway || segments.length <= 14) return;
        request.target = segments.slice(0, 13).join('/') + (query ? `?${query}` : '');
      },
    }),
  },
  {
    rule: 'GW-PATH-SEGMENTS',
    breaks: 'the prefix of the gateway is taken away twice',
    companions: [],
    create: () => ({
      request(request) {
        request.target = request.target.replace(/^(\/v1\/cloudrun\/\w+)\1/, '$1');
      },
    }),
  },
  {
    rule: 'GW-PATH-SEGMENTS',
    breaks: 'parameters of a segment (;b=1) are cut',
    companions: ['GW-PATH-SHAPE'],
    create: () => ({
      request(request) {
        const { path, query } = request;
        if (request.service !== 'conformance' || !path.includes(';')) return;
        request.target = path.replaceAll(/;[^/]*/g, '') + (query ? `?${query}` : '');
      },
    }),
  },
  {
    rule: 'GW-PATH-ESCAPES',
    breaks: '%2F in a path is decoded',
    companions: [],
    create: () => ({
      request(request) {
        const { path, query } = request;
        if (request.service !== 'conformance' || !path.includes('%2F')) return;
        request.target = path.replaceAll('%2F', '/') + (query ? `?${query}` : '');
      },
    }),
  },
  {
    rule: 'GW-PATH-ESCAPES',
    breaks: 'escapes of a path are written in upper case',
    companions: [],
    create: () => ({
      request(request) {
        const { path, query } = request;
        if (request.service !== 'conformance' || !path.includes('%')) return;
        const upper = path.replaceAll(/%[\da-f]{2}/gi, (code) => code.toUpperCase());
        request.target = upper + (query ? `?${query}` : '');
      },
    }),
  },
  {
    rule: 'GW-PATH-ESCAPES',
    breaks: 'encoded Chinese in a path is encoded anew',
    companions: [],
    create: () => ({
      request(request) {
        const { path, query } = request;
        if (request.service !== 'conformance' || !path.includes('%E4')) return;
        request.target = path.replaceAll('%E4', '%25E4') + (query ? `?${query}` : '');
      },
    }),
  },
  {
    rule: 'GW-PATH-SLASHES',
    breaks: 'empty segments of a path are left out',
    companions: [],
    create: () => ({
      request(request) {
        const { path, query } = request;
        if (request.service !== 'conformance' || !/[^/]\/{2,}[^/]/.test(path)) return;
        request.target = path.replaceAll(/\/{2,}/g, '/') + (query ? `?${query}` : '');
      },
    }),
  },
  {
    rule: 'GW-QUERY-RAW',
    breaks: 'the parameters of a query are sorted by name',
    companions: [],
    create: () => ({
      request(request) {
        if (!request.isGateway || request.query === '') return;
        const nameOf = (pair: string) => pair.split('=', 1)[0] ?? '';
        const pairs = request.query.split('&');
        const sorted = pairs.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
        request.target = `${request.path}?${sorted.join('&')}`;
      },
    }),
  },
  {
    rule: 'GW-QUERY-RAW',
    breaks: 'a plus in the query of a POST becomes %20',
    companions: [],
    create: () => ({
      request(request) {
        if (!request.isGateway || request.method !== 'POST' || request.query === '') return;
        request.target = `${request.path}?${request.query.replaceAll('+', '%20')}`;
      },
    }),
  },
  {
    rule: 'GW-QUERY-RAW',
    breaks: 'the query of a WebSocket handshake is encoded anew',
    companions: [],
    create: () => ({
      upgrade(request) {
        request.target = request.target.replaceAll('%2f', '%2F');
      },
    }),
  },
];
