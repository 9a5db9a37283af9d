import { array, constantFrom } from 'fast-check';
import type { Exchange } from '../../http/exchange.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { forAll } from '../support/for-all.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const DIGITS = [...'0123456789'];

export const gwNameAccepted = defineCheck('GW-NAME-ACCEPTED', [], async (t: Trial) => {
  // As plain as a name can be: letters alone.
  const letters = t
    .uniqueName()
    .replace(/[^a-z]/gi, '')
    .slice(-20);
  const plain = await t.gateway.call({ service: `q${letters}q` });
  t.reach(isMissing(plain), 'no missing service is answered with 404 SERVICE_NOT_FOUND');
  for (const service of listNames(t)) {
    const exchange = await t.gateway.call({ service });
    // A service may really have a short name, and answers then.
    const isGood = isMissing(exchange) || (service.length < 8 && !isNameRefused(exchange));
    t.expect(isGood, toMessage(service, exchange));
  }
  const inside = array(constantFrom(...LETTERS, ...DIGITS, '_', '-', '_', '-'), {
    minLength: 20,
    maxLength: 58,
  });
  await forAll(t, inside, async (characters, expect) => {
    const service = `q${characters.join('')}8`;
    const exchange = await t.gateway.call({ service });
    expect(isMissing(exchange), toMessage(service, exchange), exchange);
  });
});

function listNames(t: Trial): string[] {
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
  ];
}

function isMissing({ received: { status, json } }: Exchange): boolean {
  return status === 404 && Object(json).code === 'SERVICE_NOT_FOUND';
}

/** A code `SERVICE_…` is about the service: its name was taken then. */
function isNameRefused({ received: { status, json } }: Exchange): boolean {
  const { code } = Object(json);
  return (
    status >= 400 && status < 500 && code !== undefined && !String(code).startsWith('SERVICE_')
  );
}

function toMessage(service: string, { received: { status, json } }: Exchange): string {
  const came = [status, Object(json).code].filter(Boolean).join(' ');
  return `GET of the name ${service}: must be answered with 404 SERVICE_NOT_FOUND, not ${came}`;
}
