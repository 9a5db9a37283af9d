import { array, constantFrom, tuple } from 'fast-check';
import { defineCheck } from '../check.ts';
import { forAll } from '../support/for-all.ts';
import { hasErrorBody } from '../support/has-error-body.ts';
import { expectRefused } from './expect-refused.ts';

const GOOD = ['a', 'Z', '7'];
/** Characters that a name may not hold, as a path carries them. */
const BAD = [
  '.',
  '~',
  '!',
  '$',
  '&',
  "'",
  '(',
  '*',
  '+',
  ',',
  ';',
  '=',
  ':',
  '@',
  '%20',
  '%2F',
  '%25',
];
const BAD_ENCODED = ['%E4%B8%AD', '%C3%A9', '%5C', '%22', '%3F', '%23', '%7C'];

export const gwNamePattern = defineCheck('GW-NAME-PATTERN', [], async (t) => {
  const name = t.uniqueName();
  const ends = [`1${name}`, `_${name}`, `-${name}`, `${name}-`, `${name}_`, '12', '--', 'a-', '_9'];
  const inside = ['.', '%20', '%2F', '%E4%B8%AD%E6%96%87', '~', '@'].map((bad) => `a${bad}${name}`);
  // What would be the name of a service, were its ends cut off.
  const { service } = t.settings;
  const around = [`-${service}`, `${service}_`, `${service}.`, `${service}%20`];
  await expectRefused(t, [...ends, ...inside, ...around]);

  const part = array(constantFrom(...GOOD, '_', '-'), { maxLength: 8 });
  const bad = constantFrom(...BAD, ...BAD_ENCODED);
  await forAll(t, tuple(part, bad, part), async ([before, between, after], expect) => {
    const service = ['a', ...before, between, ...after, 'b'].join('');
    const exchange = await t.gateway.call({ service, acceptsRefusal: true });
    const { status } = exchange.received;
    const what = `GET of the name ${service}`;
    const isRefused = status >= 400 && status < 500 && hasErrorBody(exchange.received);
    expect(
      isRefused,
      `${what}: must be refused with 4xx and the error body, not ${status}`,
      exchange,
    );
  });
});
