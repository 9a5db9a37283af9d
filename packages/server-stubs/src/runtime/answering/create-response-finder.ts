import type { DocumentedResponse } from '../route-table.ts';

/** The documented response for a status: the status itself, its range (`4XX`), or `default`. */
export type ResponseFinder = (status: number) => DocumentedResponse | undefined;

export function createResponseFinder(responses: readonly DocumentedResponse[]): ResponseFinder {
  const exact = new Map<number, DocumentedResponse>();
  const ranges = new Map<number, DocumentedResponse>();
  let fallback: DocumentedResponse | undefined;
  for (const response of responses) {
    if (response.status === 'default') fallback = response;
    else if (/^[1-5]xx$/i.test(response.status)) ranges.set(Number(response.status[0]), response);
    else exact.set(Number(response.status), response);
  }
  return (status) => exact.get(status) ?? ranges.get(Math.floor(status / 100)) ?? fallback;
}
