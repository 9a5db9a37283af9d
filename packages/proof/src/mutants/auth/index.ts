import type { Mutant } from '../mutant.ts';
import { auBearer } from './au-bearer.ts';
import { auBearerBad } from './au-bearer-bad.ts';
import { auBearerBadExpired } from './au-bearer-bad-expired.ts';
import { auBearerBadPage } from './au-bearer-bad-page.ts';
import { auBearerBadSignature } from './au-bearer-bad-signature.ts';
import { auBearerEnv } from './au-bearer-env.ts';
import { auNone } from './au-none.ts';
import { auNoneCalled } from './au-none-called.ts';
import { auNoneLogin } from './au-none-login.ts';
import { auSchemeUnknown } from './au-scheme-unknown.ts';
import { auSchemeUnknownToken } from './au-scheme-unknown-token.ts';
import { auSignature } from './au-signature.ts';

export const auth: readonly Mutant[] = [
  auBearer,
  auBearerEnv,
  auSignature,
  auNone,
  auNoneCalled,
  auNoneLogin,
  auBearerBad,
  auBearerBadExpired,
  auBearerBadSignature,
  auBearerBadPage,
  auSchemeUnknown,
  auSchemeUnknownToken,
];
