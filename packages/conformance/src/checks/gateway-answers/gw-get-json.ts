import { defineCheck } from '../check.ts';
import { expectObject } from './expect-object.ts';

export const gwGetJson = defineCheck('GW-GET-JSON', ['fixture'], (t) =>
  expectObject(t, { method: 'GET' }),
);
