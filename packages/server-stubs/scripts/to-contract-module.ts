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
  /** Pattern of the paths of a copy. */
  copyPathPattern: string;
}

/** The limits of `spec/defaults/limits.yaml` that the routers and the engine enforce. */
const LIMITS = [
  ...['gatewayBodyBytes', 'storageBodyBytes', 'batchItems', 'uploadBytes', 'pathBytes'],
  ...['grantSeconds', 'linkSeconds', 'linkMinSeconds', 'linkMaxSeconds'],
  'clockWindowSeconds',
] as const;

/**
 * Source of `contract.gen.ts`: what the routers use of `@berth/spec`, so that they need no JSON at run
 * time.
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
    constant('DEFAULT_WIRE_PROFILE', 'The neutral names of the contract (D1).', names),
    constant('CORS', 'Cross-origin rules (D11).', defaults.cors),
    constant(
      'LIMITS',
      'Limits that routers and engine obey; each unit is in the name.',
      Object.fromEntries(LIMITS.map((name) => [name, defaults.limits[name]?.value])),
    ),
    constant('COPY_PATH_PATTERN', 'What the paths of a copy must match (D24).', copyPathPattern),
    constant('ITEM_SUCCESS', 'Code of an item that succeeded.', defaults.itemCodes.success),
    constant('SIGNATURE', 'What signatures are made of (D16, D17).', defaults.signature),
  ].join('\n\n');
}
