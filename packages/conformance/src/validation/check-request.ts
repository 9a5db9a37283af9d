import { documents } from '../contract/documents.ts';
import type { RuleId } from '../generated/rule-ids.gen.ts';
import { parseJson, type Sent } from '../http/exchange.ts';
import { findSchema } from './check-response.ts';

/** A missing field of an item has its own rule. */
const OF_ITEMS: Record<string, RuleId> = {
  fileID: 'ST-LINKS-ITEM-FILE-ID',
  srcPath: 'ST-COPY-SRC-PATH',
  dstPath: 'ST-COPY-DST-PATH',
};

/**
 * Returns the rule because of which a storage call must be rejected, or `undefined` for a valid request. The
 * fields may be at the top level or inside `data` (D21), so a request counts as valid if either is.
 */
export function breaksRequest({
  sent,
  operationId,
}: {
  sent: Pick<Sent, 'body'>;
  operationId: string;
}): RuleId | undefined {
  const body = parseJson(sent.body);
  if (body === undefined) return 'ST-BAD-JSON';
  const validate = findSchema(`${documents.storage.name}${toRequestPointer(operationId)}`);
  if (validate === undefined) return undefined;
  const { data } = Object(body);
  if (validate(body) || (data !== undefined && validate(data))) return undefined;
  // Both forms are invalid: the one that is used has the fields.
  if (data !== undefined) validate(data);
  else validate(body);
  const errors = validate.errors ?? [];
  if (errors.some(({ keyword }) => keyword === 'type')) return 'ST-WRONG-TYPE';
  const lacking = errors.find(({ keyword }) => keyword === 'required');
  if (lacking === undefined) return undefined;
  const field = String(lacking.params.missingProperty);
  return lacking.instancePath === '' ? 'ST-MISSING-FIELD' : OF_ITEMS[field];
}

/** Returns the place of the schema of a request with its fields at the top level (D21). */
export function toRequestPointer(operationId: string): string {
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  return `#/components/requestBodies/${name}/content/application~1json/schema/oneOf/0`;
}
