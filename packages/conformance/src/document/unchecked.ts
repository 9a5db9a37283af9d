import { isXml } from '../http/media-type.ts';
import { isWritable } from './generate.ts';
import type { ApiDocument } from './load-document.ts';
import type { Content, Operation } from './plan.ts';

/** Parts of a document that no run checks, and the reason. */
export interface Unchecked {
  reason: string;
  /** The operation and the part: `POST /items: request application/xml`. */
  parts: string[];
}

/** Returns what no run checks in a document, whatever its options are. */
export function listUnchecked(
  { root }: ApiDocument,
  operations: readonly Operation[],
): Unchecked[] {
  const pick = (parts: (operation: Operation) => string[]) =>
    operations.flatMap((operation) => parts(operation).map((part) => `${operation.id}: ${part}`));
  const requests = ({ body }: Operation, isMeant: (content: Content) => boolean) =>
    (body?.content ?? []).filter(isMeant).map(({ mediaType }) => `request ${mediaType}`);
  const xml = ({ mediaType, schema }: Content) => schema !== undefined && isXml(mediaType);
  const found: Unchecked[] = [
    {
      reason: 'XML bodies are neither sent nor validated',
      parts: pick((operation) => [
        ...requests(operation, ({ mediaType }) => isXml(mediaType)),
        ...operation.responses.flatMap(({ status, content }) =>
          content.filter(xml).map(({ mediaType }) => `${status} ${mediaType}`),
        ),
      ]),
    },
    {
      reason: 'requests of these media types are not generated',
      parts: pick((operation) =>
        requests(operation, ({ mediaType }) => !isXml(mediaType) && !isWritable(mediaType)),
      ),
    },
    {
      reason: 'parameters that are the entire query are not sent',
      parts: pick(({ querystrings }) => querystrings.map((name) => `querystring ${name}`)),
    },
    {
      reason: 'the suite does not receive callbacks',
      parts: pick(({ callbacks }) => callbacks),
    },
    {
      reason: 'the suite does not receive webhooks',
      parts: Object.keys(Object(root.webhooks)),
    },
  ];
  return found.filter(({ parts }) => parts.length > 0);
}

/** Parts that a line of text names; reports list all of them. */
const MOST_NAMED = 3;

export function toUncheckedLine({ reason, parts }: Unchecked): string {
  const more = parts.length - MOST_NAMED;
  const named = parts.slice(0, MOST_NAMED).join(', ');
  return `${named}${more > 0 ? ` and ${more} more` : ''}: ${reason}`;
}
