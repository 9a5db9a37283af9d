import type { CheckContext } from '../context/check-context.ts';
import type { RuleId } from '../generated/rule-ids.gen.ts';

/**
 * What a check needs that an operator may lack. Without it the check is disabled; without the fixture
 * service, which every operator can deploy, it is skipped.
 */
export type Need =
  | 'fixture'
  | 'bearer'
  | 'signature'
  | 'otherEnvToken'
  | 'forbiddenService'
  | 'storageCredentials'
  | 'sessionToken'
  | 'writes';

/** The check of one rule. */
export interface Check {
  /** Id of the rule in `spec/rules`. */
  rule: RuleId;
  needs: readonly Need[];
  run: (context: CheckContext) => Promise<void>;
}

/**
 * Defines the check of one rule, a row of its topic.
 *
 * @example
 * export const gatewayErrors: readonly Check[] = [
 *   defineCheck('GW-ERROR-NOT-FOUND', [], async (t) => {
 *     const { received } = await t.gateway.call({ service: t.uniqueName() });
 *     t.expect(received.status === 404, `the status must be 404, not ${received.status}`);
 *   }),
 * ];
 */
export function defineCheck(
  rule: RuleId,
  needs: readonly Need[],
  run: (context: CheckContext) => Promise<void>,
): Check {
  return { rule, needs, run };
}
