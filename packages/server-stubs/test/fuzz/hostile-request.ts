import { toBytes } from './draft.ts';
import { goodRequests } from './good-requests.ts';
import { mutations } from './mutations.ts';
import { Random } from './random.ts';

export interface HostileRequest {
  /** Text of the request, as Latin-1. */
  readonly bytes: string;
  /** Whether the request is complete, so that the server must respond. */
  readonly isWhole: boolean;
}

const FRAMING = new Set(['Content-Length', 'Transfer-Encoding', 'Expect']);

/** Creates a hostile request, which is always the same for the same number and seed. */
export function hostileRequest(seed: number, index: number): HostileRequest {
  const random = new Random(seed + Math.imul(index, 0x9e3779b1));
  const draft = random.pick(goodRequests)();
  draft.headers = draft.headers.map(([name, value]) => [name, value]);
  for (let count = 1 + random.below(4); count > 0; count -= 1)
    random.pick(mutations)(draft, random);
  const { framing, cut, headers, body } = draft;
  const isFramed = !headers.some(([name]) => FRAMING.has(name));
  return {
    bytes: toBytes(draft),
    isWhole: cut === 0 && isFramed && (framing !== 'none' || body === ''),
  };
}
