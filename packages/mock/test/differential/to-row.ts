import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Asked } from './exchange.ts';

/** The first row of a status in the error table of a call; undefined where there is none. */
export function toRow({ document, path }: Asked, status: number) {
  const { gatewayErrors, storageErrors, uploadErrors } = defaults;
  if (document === 'gateway') return gatewayErrors.find((row) => row.status === status);
  return (path === '/' ? uploadErrors : storageErrors).find((row) => row.status === status);
}
