import type { Call, Fault } from '@berth/server-stubs';
import type { Context } from '../context.ts';
import { recordOf } from '../record/recorded-request.ts';
import { explainBody } from './explain-body.ts';
import { explainParameter } from './explain-parameter.ts';
import { explainPath } from './explain-path.ts';

/**
 * Tells the log what is wrong with a request, and says it in more words than the router: all that is
 * wrong with a body and what came instead, and which paths are near to one that is none.
 */
export function createFaultExplainer(
  context: Context,
  words: (fault: Fault, call: Call) => string | undefined = () => undefined,
): (fault: Fault, call: Call) => Fault {
  return (fault, call) => {
    const record = recordOf(call.request);
    record.operationId = fault.operationId;
    // A preflight speaks for the call that follows, which is judged itself.
    const isPreflight = call.request.method === 'OPTIONS';
    const isMissing = fault.kind === 'not-found' || fault.kind === 'method-not-allowed';
    record.matched = isPreflight || !isMissing;
    const told = explain(fault, call, context);
    record.violations = told.violations ?? [];
    const message = words(told, call);
    return message === undefined ? told : { ...told, message };
  };
}

function explain(fault: Fault, call: Call, { operations }: Context): Fault {
  const { kind, violations = [] } = fault;
  if (kind === 'not-found') {
    const templates = new Set(operations.map(({ path }) => path));
    return { ...fault, message: explainPath(call.rawPath, [...templates]) };
  }
  const [first] = violations;
  const operation = operations.find(({ id }) => id === fault.operationId);
  if (kind !== 'invalid-request' || first === undefined || operation === undefined) return fault;
  if (first.in === 'path') return { ...fault, ...explainParameter(operation, call.rawPath, first) };
  if (first.in !== 'body' || first.keyword === 'unwrap' || !operation.body) return fault;
  const bytes = recordOf(call.request).wholeBody;
  return { ...fault, ...explainBody(operation.body, bytes, first) };
}
