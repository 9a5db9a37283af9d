import type { Hooks, Json, MutatedAnswer } from '../../../proxy/messages.ts';
import { changeJson } from '../../support/change-json.ts';
import { seesItems } from '../../support/sees-items.ts';

type Change = (json: Json, answer: MutatedAnswer, operation: string) => void;

/** Changes the envelopes of storage calls. */
function ofCalls(change: Change): Hooks {
  return {
    ...seesItems,
    answer(answer, { operation, path }) {
      if (path.startsWith('/api/'))
        changeJson(answer, (json) => change(json, answer, operation ?? ''));
    },
  };
}

/** Changes the envelopes that hold data. */
export function ofSuccess(change: Change): Hooks {
  return ofCalls((json, answer, operation) => {
    if (json.body?.data) change(json, answer, operation);
  });
}

/** Changes the envelopes that hold an error. */
export function ofFailure(change: Change): Hooks {
  return ofCalls((json, answer, operation) => {
    if (json.body && !json.body.data) change(json, answer, operation);
  });
}
