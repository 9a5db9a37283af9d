import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { z } from 'zod';

/** Limits of the contract that an operator may set; the others bind clients. */
const SETTABLE = [
  'gatewayBodyBytes',
  'gatewaySpoolBytes',
  'gatewayHeadersSeconds',
  'clockWindowSeconds',
  'tokenCacheSeconds',
  'storageBodyBytes',
  'batchItems',
  'linkSeconds',
  'linkMaxSeconds',
  'grantSeconds',
  'uploadBytes',
] as const satisfies readonly (keyof typeof defaults.limits)[];

type Settable = (typeof SETTABLE)[number];
type Limit = z.ZodDefault<z.ZodInt>;

const shape = Object.fromEntries(
  SETTABLE.map((name) => {
    const { value, description, unit } = defaults.limits[name];
    return [name, z.int().min(1).default(value).describe(`${description} In ${unit}.`)];
  }),
) as Record<Settable, Limit>;

/** Limits, whose defaults are those of the contract. */
export const limitsSchema = z
  .strictObject(shape)
  .refine(
    ({ linkSeconds, linkMaxSeconds }) => linkSeconds <= linkMaxSeconds,
    'needs `linkSeconds` of at most `linkMaxSeconds`',
  )
  .describe('Limits of this deployment.');
