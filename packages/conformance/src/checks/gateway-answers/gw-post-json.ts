import { defineCheck } from '../check.ts';
import { jsonPost } from '../support/gateway-methods.ts';
import { expectObject } from './expect-object.ts';

export const gwPostJson = defineCheck('GW-POST-JSON', ['fixture'], (t) =>
  expectObject(t, jsonPost),
);
