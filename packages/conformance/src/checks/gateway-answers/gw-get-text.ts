import { defineCheck } from '../check.ts';
import { expectText } from './expect-text.ts';

export const gwGetText = defineCheck('GW-GET-TEXT', ['fixture'], (t) =>
  expectText(t, { method: 'GET' }),
);
