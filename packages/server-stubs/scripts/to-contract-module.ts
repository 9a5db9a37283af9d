import { constant, type ObjectSchema, toReadonlyType } from '@berth/codegen';

/** Exports of `@berth/spec`. */
export interface ContractParts {
  contract: { documents: Record<string, { version: string; sha256: string }>; sha256: string };
  defaults: {
    cors: object;
    limits: Readonly<Record<string, { value: number }>>;
    itemCodes: { success: string };
    signature: object;
  };
  profile: object;
  profileSchema: ObjectSchema;
  /** Pattern for copy paths. */
  copyPathPattern: string;
}

/** The limits in `spec/defaults/limits.yaml` that the routers and the engine enforce. */
const LIMITS = [
  ...['gatewayBodyBytes', 'storageBodyBytes', 'batchItems', 'uploadBytes', 'pathBytes'],
  ...['grantSeconds', 'linkSeconds', 'linkMinSeconds', 'linkMaxSeconds'],
  'clockWindowSeconds',
] as const;

/**
 * Renders `contract.gen.ts`: everything that the routers need from `@berth/spec`, so that they load no
 * JSON at run time.
 */
export function toContractModule({
  contract,
  defaults,
  profile,
  profileSchema,
  copyPathPattern,
}: ContractParts): string {
  const { documents, sha256 } = contract;
  const { $schema: _, ...names } = profile as { $schema?: string };
  return [
    constant('CONTRACT', 'The contract that the routers were generated from.', {
      documents,
      sha256,
    }),
    `/** Names on the wire (D1). */\nexport type WireProfileNames = ${toReadonlyType(profileSchema)};`,
    constant('DEFAULT_WIRE_PROFILE', "The contract's neutral names (D1).", names),
    constant('CORS', 'Cross-origin rules (D11).', defaults.cors),
    constant(
      'LIMITS',
      'Limits that the routers and the engine enforce. Each name includes the unit.',
      Object.fromEntries(LIMITS.map((name) => [name, defaults.limits[name]?.value])),
    ),
    constant('COPY_PATH_PATTERN', 'Pattern that copy paths must match (D24).', copyPathPattern),
    constant('ITEM_SUCCESS', 'Code of a successful item.', defaults.itemCodes.success),
    constant('SIGNATURE', 'Constants for signatures (D16, D17).', defaults.signature),
  ].join('\n\n');
}
