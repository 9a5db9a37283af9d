import type { Run } from '../context/run.ts';
import { notSelected } from '../context/skip-reason.ts';
import { toEvidence } from '../context/to-evidence.ts';
import type { Rule } from '../contract/rules.ts';
import type { Coverage } from '../document/coverage.ts';
import { type Exchange, readAll, splitTarget, toSentSize } from '../http/exchange.ts';
import type { Report } from '../report/to-report.ts';
import { createResult, type Result } from '../result.ts';
import type { Recorded } from './read-traffic.ts';

export interface TrafficChecker {
  /** Returns why the call is not checked, or `undefined` if it is. */
  check(recorded: Recorded): string | undefined;
  results(): Result[];
  coverage(results: readonly Result[]): Coverage;
  /** The deployments that were called. */
  targets(): Report['targets'];
}

const MOST_FINDINGS = 5;

/** What a result states before anything was checked. */
type Subject = Pick<Result, 'engine' | 'id' | 'level' | 'statement' | 'rules' | 'operations'>;

/** Collects the findings of all calls into one result for each subject. */
export class Tally {
  readonly #run: Run;
  readonly #results = new Map<string, Result>();
  readonly #failed = new Map<string, number>();

  constructor(run: Run) {
    this.#run = run;
  }

  has(id: string): boolean {
    return this.#results.has(id);
  }

  /**
   * Adds what was found in a call.
   *
   * @param messages a message for each assertion that failed, and `undefined` for each that held
   */
  add(
    subject: Subject,
    exchange: Exchange,
    messages: readonly (string | undefined)[],
    where: string,
  ): void {
    const result = this.#results.get(subject.id) ?? createResult(subject);
    this.#results.set(subject.id, result);
    result.requests += 1;
    result.bytes += toSentSize(exchange.sent);
    result.assertions += messages.length;
    const failed = messages.filter((message) => message !== undefined);
    if (failed.length === 0) return;
    result.outcome = 'fail';
    result.rules = [...new Set([...result.rules, ...subject.rules])];
    this.#failed.set(subject.id, (this.#failed.get(subject.id) ?? 0) + 1);
    for (const message of failed) {
      if (result.findings.length >= MOST_FINDINGS) return;
      learnSecrets(this.#run, exchange);
      result.findings.push({ message, where, ...toEvidence(exchange) });
    }
  }

  /** The result of a rule that applies to no call. */
  unseen({ id, level, statement, operations }: Rule): Result {
    const subject = { engine: 'rules' as const, id, level, statement, rules: [id] };
    const left = notSelected(this.#run, id);
    return {
      ...createResult({ ...subject, operations: [...operations] }),
      ...(left ?? { outcome: 'disabled', reason: 'no recorded call shows it' }),
    };
  }

  results(): Result[] {
    return [...this.#results.values()].map((result) => {
      const failed = this.#failed.get(result.id) ?? 0;
      if (failed === 0) return result;
      return { ...result, notes: [`failed for ${failed} of ${result.requests} recorded calls`] };
    });
  }
}

/** Headers and query parameters whose values are never shown. */
const SECRET = /auth|cookie|credential|secret|session|sign|token|api-?key|password/i;
/** Shorter values would redact ordinary text. */
const SHORTEST = 8;

/** Adds the credentials in a recorded call, which no option names, to the secrets of the run. */
function learnSecrets({ secrets, settings }: Run, { sent, received }: Exchange): void {
  const headers = [...sent.headers, ...received.headers].filter(([name]) => SECRET.test(name));
  secrets.addHeaders(headers);
  const queries = [sent.url, ...(received.text.match(/https?:\/\/[^\s"'\\<>]+/g) ?? [])]
    .map((url) => new URLSearchParams(splitTarget(url).search))
    .flatMap((query) => [...query].filter(([name]) => SECRET.test(name)));
  const { securityToken } = settings.wireProfile.uploadFields;
  const [type = ''] = readAll(sent.headers, 'content-type');
  const fields = type.startsWith('multipart/form-data')
    ? ['Signature', securityToken].flatMap((name) => readField(sent.body, name))
    : [];
  const values = [...headers, ...queries].flatMap(([, value]) => [
    value,
    ...value.split(/[\s,;=]+/),
  ]);
  for (const value of [...values, ...fields]) if (value.length >= SHORTEST) secrets.add(value);
}

function readField(form: Buffer, name: string): string[] {
  const text = form.toString('latin1');
  const [, value] = text.split(`name="${name}"\r\n\r\n`);
  return value === undefined ? [] : [value.split('\r\n', 1)[0] ?? ''];
}
