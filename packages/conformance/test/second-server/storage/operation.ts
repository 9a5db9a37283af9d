import type { Choices } from '../choices.ts';
import { limits } from '../limits.ts';
import type { FileStore } from '../objects/file-store.ts';
import type { Grants } from '../objects/grants.ts';
import type { Links } from '../objects/links.ts';
import { checkFields, type Shape } from './check-fields.ts';
import { Refusal } from './refusals.ts';

/** What the operations work with. */
export interface Tools {
  files: FileStore;
  grants: Grants;
  links: Links;
  /** Address of the third listener. */
  objectsUrl: string;
  choices: Choices;
}

/** One operation: the fields it takes, and how it makes `data` of them. */
export interface Operation {
  shape: Shape;
  run(fields: Record<string, unknown>, tools: Tools): object;
}

/** The items of a list, each of that shape, or strings. Refuses the call where there are too many. */
export function readList(list: unknown, shape: Shape | 'string', { choices }: Tools): unknown[] {
  const items = list as unknown[];
  if (items.length > limits.batchItems) throw new Refusal('TOO_MANY');
  for (const item of items) {
    if (shape !== 'string') checkFields(item, shape, choices.should);
    else if (typeof item !== 'string') throw new Refusal('BAD_FIELD');
  }
  return items;
}
