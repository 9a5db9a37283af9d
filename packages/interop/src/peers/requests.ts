import { listBreakers } from '../../../conformance/src/document/break-draft.ts';
import { createGenerator, type Draft } from '../../../conformance/src/document/generate.ts';
import type { Operation } from '../../../conformance/src/document/plan.ts';
import { writeRequest } from '../../../conformance/src/document/write-request.ts';
import { SEED, type Subject } from './documents.ts';

/** A request, and whether it is valid by Ajv. */
export interface Sample {
  readonly operation: Operation;
  /** The constraint that it breaks; absent if it is valid. */
  readonly breaks?: string;
  readonly target: string;
  readonly init: RequestInit;
}

/** Valid requests of each operation. */
const VALID = 6;

/** Generates valid requests of each operation, and one that breaks each of its constraints. */
export async function listSamples({ document, operations }: Subject): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const operation of operations) {
    const generator = createGenerator(document, operation, SEED);
    const drafts = generator.valid(VALID).filter(isUnambiguous);
    for (const draft of drafts) samples.push(await toSample(operation, draft));
    for (const breaker of listBreakers(document, operation, generator)) {
      const [broken] = drafts.flatMap((draft) => breaker.apply(draft) ?? []);
      if (broken === undefined) continue;
      samples.push({ ...(await toSample(operation, broken)), breaks: breaker.constraint });
    }
  }
  return samples;
}

/** An empty list has no form in a query or a header. */
function isUnambiguous({ parameters }: Draft): boolean {
  return Object.values(parameters).every(
    (value) => typeof value !== 'object' || Object.keys(Object(value)).length > 0,
  );
}

async function toSample(operation: Operation, draft: Draft): Promise<Sample> {
  const call = await writeRequest('http://localhost', operation, draft);
  const headers = call.headers.map(([name, value]): [string, string] => [name, value]);
  const body = call.body.length > 0 ? { body: new Uint8Array(call.body) } : {};
  return { operation, target: call.target, init: { method: call.method, headers, ...body } };
}
