import { cors } from '../contract/defaults.ts';
import type { WireProfile } from '../contract/wire-profile.ts';

/** The request header by which a caller of the mock chooses an example; a browser asks for it in its preflight. */
const PREFER = 'Prefer';

export type SurfaceName = keyof typeof cors.allowMethods;

/**
 * D11: "CORS alike on gateway, storage, upload target and links". In the table `profile` stands for
 * the storage headers of the wire profile, `upstreamStatus` for its gateway header.
 */
export function createCors({ storageHeaders, gatewayHeaders }: WireProfile) {
  const names: Record<string, string[]> = {
    profile: Object.values(storageHeaders),
    upstreamStatus: [gatewayHeaders.upstreamStatus],
  };
  const list = (entries: string[]) => entries.flatMap((entry) => names[entry] ?? entry).join(', ');
  const answer = {
    'access-control-allow-origin': cors.allowOrigin,
    'access-control-expose-headers': list(cors.exposeHeaders),
  };
  return {
    /** Headers of every answer. */
    answer,
    /** Headers of the answer to OPTIONS. */
    preflight: (surface: SurfaceName): Record<string, string> => ({
      'access-control-allow-methods': cors.allowMethods[surface].join(', '),
      'access-control-allow-headers': list([...cors.allowHeaders, PREFER]),
      'access-control-max-age': String(cors.maxAge),
    }),
  };
}
