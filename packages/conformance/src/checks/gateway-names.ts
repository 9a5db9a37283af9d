import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { Exchange } from '../http/exchange.ts';
import { codeOf } from '../invariants.ts';
import { Unreached } from '../result.ts';
import { alternate, expectError } from './gateway-calls.ts';

async function expectRefused(t: CheckContext, names: readonly string[]): Promise<void> {
  const calls = names.map((service, index) => ({ service, path: index % 3 === 0 ? '' : '/a' }));
  for (const call of alternate(calls)) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    expectError(t, exchange, `the name ${call.service}`);
  }
}

const isMissing = ({ received }: Exchange): boolean =>
  received.status === 404 && codeOf(received) === 'SERVICE_NOT_FOUND';

/** A service may actually have a short name, and then it responds. A code of `SERVICE_…` is about the service. */
function isAccepted({ received }: Exchange): boolean {
  const { status } = received;
  const code = codeOf(received);
  return status < 400 || status > 499 || code === undefined || code.startsWith('SERVICE_');
}

/** Characters that a name must not contain, as they appear in a path. */
const BAD = [...".~*'+,;:@", '%20', '%2F', '%25', '%E4%B8%AD', '%C3%A9'];

export const gatewayNames: readonly Check[] = [
  defineCheck('GW-NAME/1', [], async (t) => {
    const name = t.uniqueName();
    // As plain as a name can be: letters only.
    const letters = name.replace(/[^a-z]/gi, '').slice(-20);
    const plain = await t.gateway.call({ service: `q${letters}q` });
    if (!isMissing(plain)) {
      throw new Unreached('a call to a missing service does not return 404 SERVICE_NOT_FOUND');
    }
    const names = [
      name.toUpperCase(),
      name.replaceAll('-', '--_'),
      'q9',
      'Qz',
      `${name}7`.padStart(60, 'x'),
      `q${'-'.repeat(58)}9`,
      `Q${'_'.repeat(58)}z`,
    ].map((service) => service.slice(0, 60));
    for (const call of alternate(names.map((service) => ({ service, path: '/a' })))) {
      const exchange = await t.gateway.call(call);
      const isGood = isMissing(exchange) || (call.service.length < 3 && isAccepted(exchange));
      const actual = `${exchange.received.status} ${codeOf(exchange.received) ?? 'without a code'}`;
      const message = `the response to a call of the service ${call.service} must be 404 SERVICE_NOT_FOUND, not ${actual}`;
      t.expect(isGood, message);
    }
  }),
  defineCheck('GW-NAME/2', [], (t) => {
    const long = t.uniqueName().padEnd(61, 'x');
    return expectRefused(t, ['a', 'Z', long, long.padEnd(200, 'z')]);
  }),
  defineCheck('GW-NAME/3', [], (t) => {
    const name = t.uniqueName();
    const { service } = t.settings;
    // Some would be the name of a service if their ends were trimmed.
    const ends = [
      `1${name}`,
      `_${name}`,
      `-${service}`,
      `${service}_`,
      `${service}%20`,
      '9-',
      '--',
    ];
    return expectRefused(t, [...ends, ...BAD.map((bad) => `aZ7_${bad}-_7Zb`)]);
  }),
];
