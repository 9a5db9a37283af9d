import { toRefusal } from '../refusals/to-refusal.ts';
import type { SurfaceName } from '../surface-name.ts';
import { RATE_CODES } from './codes.ts';
import type { DueFault } from './fault-rules.ts';

/** What each surface says of a credential that was valid once. */
const EXPIRED: Readonly<Record<SurfaceName, { code: string; message: string }>> = {
  gateway: { code: 'ACCESS_TOKEN_EXPIRED', message: 'The access token has expired.' },
  storage: { code: 'SIGN_PARAM_INVALID', message: 'The credentials have expired.' },
  upload: { code: 'AccessDenied', message: 'The grant has expired.' },
  link: { code: 'AccessDenied', message: 'The link has expired.' },
};

/** The error that a call ends with because of its faults: the first of them that has one. */
export function findRefusal(
  faults: readonly DueFault[],
  surface: SurfaceName,
): ReturnType<typeof toRefusal> | undefined {
  for (const { fault, retryAfter } of faults) {
    if (retryAfter !== undefined) return toRefusal(surface, RATE_CODES[surface], { retryAfter });
    if (fault.code !== undefined) return toRefusal(surface, fault.code);
    if (fault.expiredToken === true) {
      const { code, message } = EXPIRED[surface];
      return toRefusal(surface, code, { message });
    }
  }
  return undefined;
}
