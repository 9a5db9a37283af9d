import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { SurfaceName } from '../surface-name.ts';

/** Codes of errors; those of one entry of a result list are none of a whole call. */
function codesOf(rows: readonly { code: string; status: number }[]): readonly string[] {
  return rows.filter(({ status }) => status >= 400).map(({ code }) => code);
}

const UPLOAD = codesOf(defaults.uploadErrors);

/** The codes that a call of each surface can end with. */
export const CODES: Readonly<Record<SurfaceName, readonly string[]>> = {
  gateway: codesOf(defaults.gatewayErrors),
  storage: codesOf(defaults.storageErrors),
  upload: UPLOAD,
  link: UPLOAD,
};

export const SURFACES = Object.keys(CODES) as readonly SurfaceName[];

/** The code of each surface for one call too many. */
export const RATE_CODES: Readonly<Record<SurfaceName, string>> = {
  gateway: 'EXCEED_RATELIMIT',
  storage: 'EXCEED_RATELIMIT',
  upload: 'SlowDown',
  link: 'SlowDown',
};
