import {
  bearer,
  createGatewayClient,
  defaultWireProfile,
  type GatewayClientOptions,
  type Service,
  toGatewayError,
} from '@berth/client';
import { describe, expect, it } from 'vitest';
import { failureOf, fakeFetch, json } from './support/fake-fetch.ts';

const PROFILE = {
  ...defaultWireProfile,
  gatewayHeaders: { ...defaultWireProfile.gatewayHeaders, upstreamStatus: 'X-Of-Service' },
};
/** A refusal specific to this deployment, which is marked as from the service. */
const refusal = () =>
  json(
    { code: 'A', message: 'No.', requestId: 'r-1' },
    { status: 400, headers: { 'X-Request-Id': 'r-1', 'X-Of-Service': '400' } },
  );
const own = () => json({ code: 'A', message: 'No.', requestId: 'r-1' }, OWN);
const OWN = { status: 400, headers: { 'X-Request-Id': 'r-1' } };

function serviceWith(reply: Response, options: Partial<GatewayClientOptions> = {}) {
  const { fetch } = fakeFetch(reply);
  const gateway = createGatewayClient({
    ...{ baseUrl: 'https://g.example', auth: bearer('any'), wireProfile: PROFILE },
    ...{ retry: false, fetch },
    ...options,
  } as GatewayClientOptions);
  return gateway.service('hello');
}

const JSON_TYPE = { headers: { 'Content-Type': 'application/json' } };
const BROKEN = () => {
  const body = new ReadableStream({ start: (controller) => controller.error(new Error('cut')) });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
};

describe("a gateway error knows its call and its deployment's names", () => {
  type Way = [string, (reply: Response) => Promise<unknown>];
  it.each<Way>([
    ['which post throws', (reply) => failureOf(serviceWith(reply).post('a?sign=1'))],
    ['which events throw', (reply) => failureOf(serviceWith(reply).events('a').next())],
    [
      'made of a response that request returned',
      async (reply) => {
        const response = await serviceWith(reply).request('a', { method: 'POST' });
        return toGatewayError({ response, error: await response.json() });
      },
    ],
  ])('%s', async (_, errorOf) => {
    for (const [reply, source] of [
      [refusal(), 'service'],
      [own(), 'gateway'],
    ] as const) {
      const error = await errorOf(reply);
      expect(error).toMatchObject({ name: 'GatewayError', source, path: '/v1/cloudrun/hello/a' });
      expect(error).toMatchObject({ method: expect.stringMatching(/^(GET|POST)$/) });
    }
  });
});

describe('the error for an interrupted or unexpected response knows its call', () => {
  const refuse = { '~standard': { version: 1, vendor: 'a', validate: () => ({ issues: [] }) } };
  it.each<[string, Response, (service: Service) => Promise<unknown>, string]>([
    ['a get', BROKEN(), (service) => service.get('a'), 'NetworkError'],
    [
      'JSON that is none',
      new Response('{', JSON_TYPE),
      (service) => service.get('a'),
      'ContractError',
    ],
    [
      'a payload that is refused',
      json({}),
      (service) => service.get('a', { schema: refuse as never }),
      'ContractError',
    ],
    [
      'events',
      BROKEN(),
      (service) => service.events('a', { reconnect: false }).next(),
      'NetworkError',
    ],
    ['no events', json({}), (service) => service.events('a').next(), 'ContractError'],
  ])('%s', async (_, reply, call, name) => {
    const error = await failureOf(call(serviceWith(reply)));
    expect(error).toMatchObject({ name, method: 'GET', path: '/v1/cloudrun/hello/a' });
  });
});
