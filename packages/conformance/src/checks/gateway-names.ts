import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { Exchange } from '../http/exchange.ts';
import { hasErrorBody } from '../invariants.ts';
import { cite } from '../validation/cite.ts';
import { gatewayMethods, jsonPost } from './support/gateway.ts';

async function expectRefused(t: CheckContext, names: readonly string[]): Promise<void> {
  for (const [index, service] of names.entries()) {
    for (const call of gatewayMethods) {
      const path = index % 2 === 0 ? '' : '/a';
      expectRefusal(t, await t.gateway.call({ ...call, service, path, acceptsRefusal: true }));
    }
  }
}

function expectRefusal(t: CheckContext, exchange: Exchange): void {
  const { sent, received } = exchange;
  const isRefused = received.status >= 400 && received.status < 500 && hasErrorBody(received);
  const came = `but the response was ${received.status} ${cite(received.text)}`;
  const message = `${sent.method} ${sent.url}: the name must be rejected with a 4xx and the gateway's error body, ${came}`;
  t.expect(isRefused, message, exchange);
}

function listNames(t: CheckContext): string[] {
  const name = t.uniqueName();
  return [
    ...['q9', 'Qz', 'Z0', 'q-9', 'Q_z', 'q--Z', 'q__9'],
    name.toUpperCase(),
    name.replaceAll('-', '_'),
    name.replaceAll('-', '--_').slice(0, 59).concat('Z'),
    `${name}7`.padStart(60, 'x'),
    `${name}7`.padStart(59, 'X'),
    `q${'-'.repeat(58)}9`,
    `Q${'_'.repeat(58)}z`,
    'qabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ8',
    'q0123456789_-9876543210-_8',
    'qa-B_c--D__e0-F1_g2-_H3_-i8',
  ];
}

const codeOf = ({ received: { json } }: Exchange): unknown => Object(json).code;

const isMissing = (exchange: Exchange): boolean =>
  exchange.received.status === 404 && codeOf(exchange) === 'SERVICE_NOT_FOUND';

/** A code of `SERVICE_…` is about the service, so the name was accepted. */
function isNameRefused(exchange: Exchange): boolean {
  const { status } = exchange.received;
  const code = codeOf(exchange);
  return status >= 400 && status < 500 && code !== undefined && !`${code}`.startsWith('SERVICE_');
}

function toMessage(service: string, exchange: Exchange): string {
  const came = [exchange.received.status, codeOf(exchange)].filter(Boolean).join(' ');
  return `a request with the service name ${service}: the response must be 404 SERVICE_NOT_FOUND, not ${came}`;
}

/** Characters that a name must not contain, as they appear in a path. */
const BAD = [
  ...".~!$&'(*+,;=:@",
  ...['%20', '%2F', '%25', '%E4%B8%AD', '%C3%A9', '%5C', '%22', '%3F', '%23', '%7C'],
];

export const gatewayNames: readonly Check[] = [
  defineCheck('GW-NAME/1', [], async (t: CheckContext) => {
    // As plain as a name can be: letters only.
    const letters = t
      .uniqueName()
      .replace(/[^a-z]/gi, '')
      .slice(-20);
    const plain = await t.gateway.call({ service: `q${letters}q` });
    t.reach(isMissing(plain), 'a call to a missing service does not return 404 SERVICE_NOT_FOUND');
    for (const call of [{ path: '/a' }, jsonPost]) {
      const service = `${t.uniqueName()}9`.padStart(60, 'x');
      const exchange = await t.gateway.call({ ...call, service });
      t.expect(isMissing(exchange), toMessage(service, exchange), exchange);
    }
    for (const service of listNames(t)) {
      const exchange = await t.gateway.call({ service });
      // A service may actually have a short name, and then it responds.
      const isGood = isMissing(exchange) || (service.length < 8 && !isNameRefused(exchange));
      t.expect(isGood, toMessage(service, exchange));
    }
  }),
  defineCheck('GW-NAME/2', [], (t) => {
    const long = t.uniqueName().padEnd(61, 'x');
    const longer = [`${long}1`, long.padEnd(100, '9'), long.padEnd(200, 'z')];
    return expectRefused(t, ['a', 'Z', 'm', long, ...longer]);
  }),
  defineCheck('GW-NAME/3', [], async (t) => {
    const name = t.uniqueName();
    const ends = [`1${name}`, `_${name}`, `-${name}`, `${name}-`, `${name}_`];
    const short = ['12', '--', 'a-', '_9'];
    const inside = ['.', '%20', '%2F', '%E4%B8%AD%E6%96%87', '~', '@'].map(
      (bad) => `a${bad}${name}`,
    );
    // Would be the name of a service if its ends were trimmed.
    const { service } = t.settings;
    const around = [`-${service}`, `${service}_`, `${service}.`, `${service}%20`];
    await expectRefused(t, [...ends, ...short, ...inside, ...around]);
    for (const bad of BAD) {
      for (const service of [`a${bad}b`, `aZ7_-${bad}-_7Zb`]) {
        expectRefusal(t, await t.gateway.call({ service, acceptsRefusal: true }));
      }
    }
  }),
];
