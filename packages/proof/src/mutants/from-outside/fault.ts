import type { RuleId } from '../../../../conformance/src/generated/rule-ids.gen.ts';
import type { Hooks, Json, MutatedAnswer, MutatedRequest } from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import {
  changeEntries,
  changeItems,
  changeJson,
  itemsOf,
  leaveOutItems,
  putEntries,
  seesItems,
} from '../support/answers.ts';
import { toStorageRefusal } from '../support/refusals.ts';
import { type Form, readForm } from '../support/uploads.ts';

/** A mutant in one call: for faults that real gateways and stores have, many of which are a line long. */
export function fault(
  rule: RuleId,
  breaks: string,
  create: Mutant['create'] | Hooks,
  companions: readonly RuleId[] = [],
): Mutant {
  const hooksOf = typeof create === 'function' ? create : (_: MutantContext) => create;
  return { rule, breaks, companions, create: hooksOf };
}

/** Changes calls of hosted services after their credentials were verified: signed calls stay as they are. */
export function behind(change: (request: MutatedRequest) => unknown): Hooks {
  return {
    request(request) {
      const isSigned = request.headers.get('Authorization')?.startsWith('TC3') ?? false;
      return request.isGateway && !isSigned ? change(request) : undefined;
    },
  };
}

/** Changes what comes after the name of the service, query included. */
function changeTail(request: MutatedRequest, change: (tail: string) => string): void {
  const [, start = '', tail = ''] = /^(\/v1\/cloudrun\/[^/?]*)(.*)$/.exec(request.target) ?? [];
  if (start !== '') request.target = start + change(tail);
}

/** Changes the path after the name of the service. */
export function changePath(request: MutatedRequest, change: (path: string) => string): void {
  changeTail(request, (tail) => tail.replace(/^[^?]*/, change));
}

/** Changes the query, without its `?`. */
export function changeQuery(request: MutatedRequest, change: (query: string) => string): void {
  changeTail(request, (tail) => tail.replace(/(?<=^[^?]*\?).*/, change));
}

/** Changes answers of hosted services, not those of the gateway itself. */
export function ofService(change: (answer: MutatedAnswer, request: MutatedRequest) => void): Hooks {
  return {
    answer(answer, request) {
      const isOfService = answer.headers.get('X-Svc-Upstream-Status-Code') !== undefined;
      if (request.isGateway && isOfService) change(answer, request);
    },
  };
}

/** Changes errors of the gateway itself. */
export function ofGateway(change: (answer: MutatedAnswer, request: MutatedRequest) => void): Hooks {
  return {
    answer(answer, request) {
      const isOfService = answer.headers.get('X-Svc-Upstream-Status-Code') !== undefined;
      if (request.isGateway && !isOfService && answer.status >= 400) change(answer, request);
    },
  };
}

/** Refuses storage calls. */
export function refusing(isRefused: (request: MutatedRequest) => unknown, status = 400): Hooks {
  return {
    request: (request) =>
      request.operation && isRefused(request)
        ? toStorageRefusal(status, 'INVALID_PARAM')
        : undefined,
  };
}

/** Changes the body of an answer as text in which every byte is a character. */
export function changeText(answer: MutatedAnswer, change: (text: string) => string): void {
  answer.body = Buffer.from(change(answer.body.toString('latin1')), 'latin1');
}

/** The path of a file without the slash that it may begin with. */
export function plainPath(path: unknown): string {
  return String(path).replace(/^\//, '');
}

/** Changes the entries of an operation, in place or by returning others; `items` are what was asked. */
export function ofEntries(
  operation: string,
  change: (entries: Json[], items: Json[]) => unknown,
): Hooks {
  return {
    ...seesItems,
    answer(answer, request) {
      if (request.operation === operation)
        changeEntries(answer, (entries) => change(entries, itemsOf(request)));
    },
  };
}

/** Changes every entry in place. */
export function each(change: (entry: Json) => void): (entries: Json[]) => void {
  return (entries) => {
    for (const entry of entries) change(entry);
  };
}

/** Refuses a call after the fact because of its entries. */
export function refuseAll(operation: string, isRefused: (entries: Json[]) => boolean): Hooks {
  return {
    ...seesItems,
    answer(answer, request) {
      const entries = answer.json?.body?.data?.fileList;
      if (request.operation === operation && Array.isArray(entries) && isRefused(entries))
        Object.assign(answer, toStorageRefusal(404, 'STORAGE_FILE_NONEXIST'));
    },
  };
}

/** Whether an entry of links or of deletions tells of success; those of copies have no code then. */
export function isOk({ code }: Json): boolean {
  return code === 'SUCCESS';
}

export function isBad(entry: Json): boolean {
  return !isOk(entry);
}

/** One entry for each file ID. */
export function unique(entries: Json[]): Json[] {
  return entries.filter(
    ({ fileID }, index) => entries.findIndex((other) => other.fileID === fileID) === index,
  );
}

const OPERATION = 'batchCopyFile';

export function isCopy({ operation }: MutatedRequest): boolean {
  return operation === OPERATION;
}

/** Changes the items of copies. */
export function changing(change: (item: Json) => void): Hooks {
  return {
    request(request) {
      if (isCopy(request)) changeItems(request, change);
    },
  };
}

/** Changes the entries of copies, in place or by returning others. */
export function ofCopies(change: (entries: Json[], items: Json[]) => unknown): Hooks {
  return ofEntries(OPERATION, change);
}

/** Acts on each item of a copy after it, with the entry that it got, if any. */
export function afterCopies(act: (item: Json, entry: Json) => unknown): Hooks {
  return {
    ...seesItems,
    async answer(answer, request) {
      if (!isCopy(request)) return;
      const entries = answer.json?.body?.data?.fileList ?? [];
      for (const [index, item] of itemsOf(request).entries()) await act(item, entries[index]);
    },
  };
}

/** Does not copy the items that it gives an entry to. */
export function leavingOut(toEntry: (item: Json, index: number) => object | undefined): Hooks {
  return {
    request(request) {
      if (isCopy(request)) leaveOutItems(request, toEntry);
    },
    answer(answer, request) {
      if (isCopy(request)) putEntries(answer, request);
    },
  };
}

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

/** Acts after an upload that went well. */
export function ofStored(change: (answer: MutatedAnswer, form: Form) => unknown): Hooks {
  return {
    ...seesItems,
    async answer(answer, request) {
      if (request.isUpload && answer.status < 300) await change(answer, readForm(request));
    },
  };
}

/** The path that a form stores its file at. */
export function keyOf(form: Form): string {
  return plainPath(form.get('key'));
}
