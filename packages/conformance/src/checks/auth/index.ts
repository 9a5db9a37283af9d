import type { Check } from '../check.ts';
import { auBearer } from './au-bearer.ts';
import { auBearerBad } from './au-bearer-bad.ts';
import { auBearerEnv } from './au-bearer-env.ts';
import { auNone } from './au-none.ts';
import { auSchemeUnknown } from './au-scheme-unknown.ts';
import { auSignature } from './au-signature.ts';

export const auth: readonly Check[] = [
  auBearer,
  auBearerEnv,
  auSignature,
  auNone,
  auBearerBad,
  auSchemeUnknown,
];
