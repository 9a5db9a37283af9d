import type { Run } from '../context/run.ts';
import { notSelected } from '../context/skip-reason.ts';
import type { Bases } from '../contract/find-call.ts';
import { documents, findByContentType, toPlace, transactions } from '../contract/operations.ts';
import { findRule, findRules } from '../contract/rules.ts';
import { createContractCoverage, findContractCall } from '../document/contract-coverage.ts';
import { type Exchange, toReceived } from '../http/exchange.ts';
import { checkResponse, listByStatus } from '../validation/check-response.ts';
import {
  EXCHANGE_RULES,
  type ExchangeRuleId,
  type Facts,
  isOwnError,
  toFacts,
} from '../validation/exchange-rules.ts';
import { toContractEnvelope } from '../validation/read-storage.ts';
import type { Recorded } from './read-traffic.ts';
import { Tally, type TrafficChecker } from './tally.ts';

const RULES = Object.keys(EXCHANGE_RULES) as ExchangeRuleId[];

/** Checks calls of the contract's operations, by the rules that a single call can break. */
export function createContractChecker(run: Run, bases: Bases): TrafficChecker {
  const { settings } = run;
  const tally = new Tally(run);
  const coverage = createContractCoverage(settings, ['gateway', 'storage'], (rule) =>
    RULES.includes(rule as ExchangeRuleId) ? undefined : 'a single recorded call does not show it',
  );
  const targets = new Map<string, ReturnType<TrafficChecker['targets']>[number]>();
  const rules = RULES.filter((id) => notSelected(run, id) === undefined);

  function checkRules(facts: Facts, { place, known }: Recorded): void {
    for (const id of rules) {
      const rule: (typeof EXCHANGE_RULES)[ExchangeRuleId] & {
        reads?: readonly ('request' | 'response')[];
      } = EXCHANGE_RULES[id];
      if ((rule.reads ?? []).some((body) => !known.has(body)) || !rule.appliesTo(facts)) continue;
      const { level, statement, places, operations } = findRule(id);
      const claims = rule.claims(facts);
      if (claims.length === 0) continue;
      tally.add(
        { engine: 'rules', id, level, statement, rules: [id], operations: [...operations] },
        facts,
        claims.map(([holds, message]) => (holds ? undefined : `${place}: ${message}`)),
        places[0] ?? id,
      );
    }
  }

  /** Validates the response against the schema of its status and content type. */
  function checkSchema(facts: Facts, exchange: Exchange, { place, known }: Recorded): void {
    const { operationId } = facts;
    const isGateway = operationId.startsWith('cloudrun');
    const isMeant = isGateway ? isOwnError(facts) : facts.envelope !== undefined;
    const isCall = operationId !== 'uploadFile' && exchange.sent.method !== 'OPTIONS';
    const any = transactions.find((each) => each.operationId === operationId);
    if (!isCall || !isMeant || !known.has('response') || any === undefined) return;
    if (notSelected(run, 'traffic') !== undefined) return;
    const { status, headers } = exchange.received;
    const body = isGateway
      ? exchange.received.body
      : Buffer.from(JSON.stringify(toContractEnvelope(facts.received.json, settings, status)));
    const received = toReceived(status, headers, body);
    const candidates = listByStatus(any, status);
    const found = findByContentType(candidates, received.header('content-type')) ?? candidates[0];
    if (found === undefined) return;
    const findings = checkResponse(found, received);
    const { name, contentType = '' } = toPlace(found);
    const what = `${found.status} ${contentType}`.trimEnd();
    tally.add(
      {
        ...{ engine: 'traffic', id: name, level: 'must', operations: [operationId] },
        statement: `The response to ${operationId} matches what ${documents[found.api].name} documents for ${what}.`,
        rules: [...new Set(findings.flatMap(({ where }) => findRules(where)))],
      },
      facts,
      findings.length === 0 ? [undefined] : findings.map(({ message }) => `${place}: ${message}`),
      findings[0]?.where ?? found.pointer,
    );
  }

  return {
    check(recorded) {
      const { exchange, known } = recorded;
      const call = findContractCall(exchange, bases, settings.wireProfile);
      if (call === undefined) return 'not an operation of the contract';
      const facts = toFacts(exchange, settings, call.operationId, call.values.name);
      run.secrets.addGrant(facts.data);
      checkRules(facts, recorded);
      checkSchema(facts, exchange, recorded);
      coverage.saw(exchange, known);
      if (call.base !== '') {
        const { name, document } = documents[call.api];
        const target = { api: call.api, url: call.base, contract: name };
        targets.set(`${call.api} ${call.base}`, { ...target, version: document.info.version });
      }
      return undefined;
    },
    results: () => [
      ...tally.results(),
      ...RULES.filter((id) => !tally.has(id)).map((id) => tally.unseen(findRule(id))),
    ],
    coverage: (results) => coverage.toCoverage(results),
    targets: () => [...targets.values()],
  };
}
