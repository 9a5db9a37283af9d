import { defineCheck } from '../check.ts';
import { expectRefused } from './expect-refused.ts';

export const gwNameLength = defineCheck('GW-NAME-LENGTH', [], (t) => {
  const long = t.uniqueName().padEnd(61, 'x');
  return expectRefused(t, [
    'a',
    'Z',
    'm',
    long,
    `${long}1`,
    long.padEnd(100, '9'),
    long.padEnd(200, 'z'),
  ]);
});
