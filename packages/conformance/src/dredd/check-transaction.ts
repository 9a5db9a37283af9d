import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { documents, type Transaction } from '../contract/operations.ts';
import type { Exchange } from '../http/exchange.ts';
import { matchesMediaType } from '../http/media-type.ts';
import {
  type Claim,
  claimRefusal,
  type Facts,
  isGatewayError,
  type Observer,
} from '../invariants.ts';
import type { Finding, Result } from '../result.ts';
import type { ResponseValidator } from '../validation/check-response.ts';

/**
 * Checks the response to a call that should have triggered a documented response: by its schema, by the rules that a
 * single call can break, and whether it is the one that was to be triggered. Responses from a hosted service are
 * forwarded unchanged, so of their content only the documented one proves something (D7).
 *
 * @param isAccepted whether an earlier call of the API succeeded
 */
export function checkTransaction(
  transaction: Transaction,
  exchange: Exchange,
  isAccepted: boolean,
  { validator, observer }: { validator: ResponseValidator; observer: Observer },
): Pick<Result, 'outcome' | 'reason' | 'findings'> {
  const { api, operationId, status } = transaction;
  const { received } = exchange;
  const facts = observer.toFacts(exchange, operationId);
  const isOfService = api === 'gateway' && status === '200' && !isGatewayError(received);
  const findings = isOfService
    ? validator.checkHeaders(
        validator.listByStatus(transaction, received.status)[0] ?? transaction,
        received,
      )
    : validator.checkResponse(transaction, received);
  findings.push(...observer.validate(exchange));
  const reason = isOfService
    ? findServiceReason(transaction, facts, validator)
    : findRefusalReason(transaction, facts, isAccepted);
  if (findings.length === 0 && reason !== undefined) return { outcome: 'skip', reason, findings };
  const where = `${documents[api].name} ${transaction.pointer}`;
  findings.push(...toFindings(isOfService ? [] : claimTriggered(transaction, facts), where));
  return { outcome: findings.length > 0 ? 'fail' : 'pass', findings };
}

function toFindings(claims: readonly Claim[], where: string): Finding[] {
  return claims.flatMap(([holds, message]) => (holds ? [] : [{ message, where }]));
}

/** Returns why the response of a hosted service does not prove that the documented one is forwarded. */
function findServiceReason(
  transaction: Transaction,
  { received }: Facts,
  validator: ResponseValidator,
): string | undefined {
  const { contentType: wanted = '' } = transaction;
  const contentType = received.header('content-type') ?? '';
  const isDocumented =
    received.status === 200 &&
    matchesMediaType(contentType, wanted) &&
    validator.checkBody(transaction, received).length === 0;
  if (isDocumented) return undefined;
  const came = `the service responded with ${received.status} ${contentType}`.trimEnd();
  return `${came}, which is not what the contract documents; the response headers follow the contract`;
}

const OPTION = { gateway: '--gateway-token', storage: '--storage-header' } as const;

/**
 * Returns why a rejected call proves nothing.
 *
 * 401 and 403 mean that the credentials are rejected. Until a call has succeeded, an unexpected 4xx may mean
 * the same, because the contract does not specify the status (D15). Once one has, any 4xx is the expected refusal
 * of an invalid request.
 */
function findRefusalReason(
  { api, status }: Transaction,
  { received }: Facts,
  isAccepted: boolean,
): string | undefined {
  const isInvalid = status === '4XX' || status === 'default';
  const isUnclear = status === '404' && !isAccepted && /^4/.test(`${received.status}`);
  const isOfCredentials = received.status === 401 || received.status === 403 || isUnclear;
  const isWanted = String(received.status) === status || (isAccepted && isInvalid);
  if (isOfCredentials && !isWanted) {
    return `the target rejected the credentials with ${received.status}; see ${OPTION[api]}`;
  }
  if (api === 'storage' || status !== '200') return undefined;
  return `the gateway responded with ${received.status}; see --service`;
}

function claimTriggered({ api, status }: Transaction, facts: Facts): Claim[] {
  const { received, refused, code } = facts;
  const came = `but the response was ${received.status} ${code ?? ''}`.trimEnd();
  if (api === 'storage') {
    if (status === '4XX') return claimRefusal(facts);
    return [[!refused, `a valid call must be accepted, ${came}`]];
  }
  if (status === 'default') {
    return [
      [/^4/.test(`${received.status}`), `an invalid name must be rejected with a 4xx, ${came}`],
    ];
  }
  const fixed: unknown[] = defaults.gatewayErrors
    .filter((row) => row.strength === 'contract' && `${row.status}` === status)
    .map((row) => row.code);
  const own = Object(received.json).code;
  return [
    [`${received.status}` === status, `the status must be ${status}, not ${received.status}`],
    [
      fixed.length === 0 || own === undefined || fixed.includes(own),
      `the code must be ${fixed.join(' or ')}, not ${own}`,
    ],
  ];
}
